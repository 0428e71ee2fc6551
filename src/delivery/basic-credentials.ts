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
  if (secret.length < MIN_CENSORED_LENGTH) return waysToWrite(secret).reduce(censorWord, encoded);
  return [...waysToWrite(secret), Buffer.from(secret).toString('base64')].reduce(censorForm, encoded);
}

function censorForm(text: string, form: string): string {
  return text.replaceAll(form, CENSORED);
}

function censorWord(text: string, form: string): string {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(form)}(?![\\p{L}\\p{N}])`, 'gu');
  return text.replaceAll(word, CENSORED);
}

/** The value as it is, and as the usual languages write it in JSON, in a URL or form, and in HTML. */
function waysToWrite(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  // In most secrets, nothing needs to be escaped.
  const forms = new Set([value, json, url, form]);
  if (forms.size === 1 && !value.includes('/')) return [value];
  const python = json.replace(NOT_ASCII, escaped);
  for (const text of [
    json.replaceAll('/', '\\/'),
    python,
    python.replaceAll('/', '\\/'),
    json.replace(MARKUP, escaped),
    json.replace(NOT_ASCII_OR_MARKUP, (character) => escaped(character).toUpperCase().replace('U', 'u')),
    url.replace(PERCENT, lowerCase),
    form.replace(PERCENT, lowerCase),
    value.replace(MARKUP_OR_QUOTE, (character) => ENTITIES[character] ?? character),
  ])
    forms.add(text);
  return [...forms];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
const NOT_ASCII = /[^\x00-\x7f]/g;
const MARKUP = /[<>&]/g;
/** As .NET does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
const NOT_ASCII_OR_MARKUP = /[^\x00-\x7f]|[<>&'+`]/g;
const PERCENT = /%[0-9A-F]{2}/g;
const MARKUP_OR_QUOTE = /[<>&"']/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A character (a UTF-16 code unit) in JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function encode({ key, secret }: BasicCredentials): string {
  return Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
}
