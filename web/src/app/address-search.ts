/**
 * The query of an address as people read and share it: `?search=fire&page=2`, without JSON in it. All values are text
 * here; a route's `validateSearch` makes numbers and choices of them (see table-search.ts).
 */
export function parseAddressSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Members that are undefined, null or empty are left out. */
export function stringifyAddressSearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue;
    parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
