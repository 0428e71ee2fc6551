/** The key and secret of HTTP Basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly key: string;
  readonly secret: string;
}

/** Stands where a credential was. */
export const CENSORED = '[censored]';

/** A shorter secret is met by chance in any text: hiding it would spoil the text and give the secret away. */
const MIN_CENSORED_LENGTH = 4;

/** The value of an `Authorization` header, the credentials being read as UTF-8. */
export function basicAuthorization(credentials: BasicCredentials): string {
  return `Basic ${encode(credentials)}`;
}

/**
 * A text that came from a target that was sent these credentials, without them: targets that answer with the request
 * they got are common, and their answers are kept and logged.
 */
export function withoutCredentials(text: string, credentials: BasicCredentials): string {
  const { secret } = credentials;
  // Nothing to look for in the few bytes that most targets answer: encoded, a credential is longer, not shorter.
  if (text.length < Math.max(secret.length, MIN_CENSORED_LENGTH)) return text;
  const hidden = secret.length < MIN_CENSORED_LENGTH ? [encode(credentials)] : [encode(credentials), secret];
  return hidden.flatMap(waysToWrite).reduce((censored, form) => censored.replaceAll(form, CENSORED), text);
}

/** As it is, in JSON with and without escaped slashes, and in a URL or form. */
function waysToWrite(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, json.replaceAll('/', '\\/'), encodeURIComponent(value.toWellFormed())];
}

function encode({ key, secret }: BasicCredentials): string {
  return Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
}
