/** Reading `application/x-www-form-urlencoded` strictly: malformed input is rejected, never guessed. */

/** Parameters by name, each with its values in the order of the form. */
export type FormParameters = ReadonlyMap<string, readonly string[]>;

/** The parameters of a body, or null if it is not form-encoded UTF-8 (RFC 6749 Appendix B). */
export function parseForm(body: Uint8Array): FormParameters | null {
  const text = decodeUtf8(body);
  if (text === null) return null;
  const parameters = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeFormText(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) return null;
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** One form-encoded text, or null if an escape is incomplete or not UTF-8. */
export function decodeFormText(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** The text of UTF-8 bytes, or null if they are invalid. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
