/**
 * Makes a route's `validateSearch` from a check, and passes on only the members that the check returns. The router
 * merges the result with the address, so a member that is merely omitted would reach the page unchecked.
 */
export function onlyKnown<T extends object>(
  check: (given: Record<string, unknown>) => T,
): (given: Record<string, unknown>) => T {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
    ...check(given),
  });
}
