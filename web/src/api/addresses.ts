/** Where the UI is: ends with `/ui/`. The service writes it into the page, so that any path before it works. */
export function uiBase(): URL {
  return new URL('.', document.baseURI);
}

/** The address of something the service answers, from its path (`/webhooks?limit=10`, `/ui/api/session`). */
export function serviceAddress(path: string): string {
  return new URL(path.replace(/^\//, ''), new URL('..', uiBase())).href;
}

/** A path with a query; members that are undefined, null or empty are left out, lists are joined with commas. */
export function withQuery(path: string, query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
