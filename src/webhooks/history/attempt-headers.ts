/** A header as the history shows it. */
export interface AttemptHeader {
  name: string;
  value: string;
}

/** The headers of an attempt. */
export interface AttemptHeaders {
  request: AttemptHeader[];
  /** Null if the target sent no response. */
  response: AttemptHeader[] | null;
}

/** Names and values alternate, which takes the least room. */
type Flat = readonly string[];

/** The stored form of headers. */
export function storedHeaders({ request, response }: AttemptHeaders): string {
  return JSON.stringify([flat(request), response === null ? null : flat(response)]);
}

/** The headers of a stored attempt; null if it has none, or the text has another form. */
export function parseHeaders(stored: string | null): AttemptHeaders | null {
  if (stored === null) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(stored);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || !isFlat(parsed[0])) return null;
  return { request: pairs(parsed[0]), response: isFlat(parsed[1]) ? pairs(parsed[1]) : null };
}

function flat(headers: readonly AttemptHeader[]): Flat {
  return headers.flatMap(({ name, value }) => [name, value]);
}

function isFlat(value: unknown): value is Flat {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function pairs(headers: Flat): AttemptHeader[] {
  const found: AttemptHeader[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    found.push({ name: headers[at]!, value: headers[at + 1]! });
  return found;
}
