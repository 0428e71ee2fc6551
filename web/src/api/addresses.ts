/**
 * The address of the UI, which ends with `/ui/`. The service writes it into the page, so that any path before it
 * works.
 */
export function uiBase(): URL {
  return new URL('.', document.baseURI);
}

/** The address of an endpoint of the service, from its path (`/webhooks?limit=10`, `/ui/api/session`). */
export function serviceAddress(path: string): string {
  return new URL(path.replace(/^\//, ''), new URL('..', uiBase())).href;
}

/** A path with a query. Members that are undefined, null or empty are omitted; lists are joined with commas. */
export function withQuery(path: string, query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
