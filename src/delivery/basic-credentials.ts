/** The key and secret of HTTP Basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly key: string;
  readonly secret: string;
}

/** Stands where a credential was. */
export const CENSORED = '[censored]';

/** A shorter secret occurs within words and numbers by chance: only a whole word is taken for it. */
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

/** As it is, in JSON with and without escaped slashes, and in a URL or form. */
function waysToWrite(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, json.replaceAll('/', '\\/'), encodeURIComponent(value.toWellFormed())];
}

function encode({ key, secret }: BasicCredentials): string {
  return Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
}
