/** The key and secret of HTTP Basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly key: string;
  readonly secret: string;
}

/** Replaces a credential. */
export const CENSORED = '[censored]';

/** Shorter secrets occur in words and numbers by chance, so only whole words are replaced. */
const MIN_CENSORED_LENGTH = 4;

/** The value of an `Authorization` header. Credentials are encoded as UTF-8. */
export function basicAuthorization(credentials: BasicCredentials): string {
  return `Basic ${encode(credentials)}`;
}

/**
 * Removes credentials from a text that a target sent. Many targets return the request in their response, which is
 * stored and logged.
 */
export function withoutCredentials(text: string, credentials: BasicCredentials): string {
  const { secret } = credentials;
  // Most responses are short. An encoded credential is never shorter than the plain one, so it cannot be in them.
  if (text.length < secret.length || text === '') return text;
  const encoded = waysToWrite(encode(credentials)).reduce(censorForm, text);
  if (secret === '') return encoded;
  return waysToWrite(secret).reduce(secret.length < MIN_CENSORED_LENGTH ? censorWord : censorForm, encoded);
}

function censorForm(text: string, form: string): string {
  return text.replaceAll(form, CENSORED);
}

function censorWord(text: string, form: string): string {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(form)}(?![\\p{L}\\p{N}])`, 'gu');
  return text.replaceAll(word, CENSORED);
}

/** The value as it is, in JSON with and without escaped slashes, and in a URL or form. */
function waysToWrite(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, json.replaceAll('/', '\\/'), encodeURIComponent(value.toWellFormed())];
}

function encode({ key, secret }: BasicCredentials): string {
  return Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
}
