/**
 * The query of an address in a form that people can read and share: `?search=fire&page=2`, without JSON. All values
 * are text here. The `validateSearch` of a route converts them (see table-search.ts).
 */
export function parseAddressSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Members that are undefined, null or empty are omitted. */
export function stringifyAddressSearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue;
    parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
