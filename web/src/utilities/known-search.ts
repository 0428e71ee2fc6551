/**
 * Makes of a check a route's `validateSearch` that hands on only what the check answers. The router lays the answer over
 * what the address holds, so that a member that is merely left out of it would reach the page as it came.
 */
export function onlyKnown<T extends object>(
  check: (given: Record<string, unknown>) => T,
): (given: Record<string, unknown>) => T {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
    ...check(given),
  });
}
