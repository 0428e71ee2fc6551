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
  return `Basic ${Buffer.from(authorizationOf(credentials)).toString('base64')}`;
}

/**
 * Removes credentials from a text that a target sent. Many targets return the request in their response, which is
 * stored and logged.
 */
export function withoutCredentials(text: string, credentials: BasicCredentials): string {
  const { secret } = credentials;
  // Most responses are short. An encoded credential is never shorter than the plain one, so it cannot be in them.
  if (text.length < secret.length || text === '') return text;
  return text.replace(patternOf(credentials), CENSORED);
}

/** The patterns, each built once, because this takes longer than the search in a short response. */
const patterns = new WeakMap<BasicCredentials, RegExp>();

function patternOf(credentials: BasicCredentials): RegExp {
  const known = patterns.get(credentials);
  if (known !== undefined) return known;
  const { key, secret } = credentials;
  const header = anyOf(base64Forms(authorizationOf(credentials)).flatMap(waysToWrite));
  const plain = anyOf(waysToWrite(secret));
  // The pair is removed with its key. The key alone is not removed, because it may be an ordinary word.
  const pair = `${anyOf(waysToWrite(key))}${COLON}${plain}`;
  const isShort = secret.length < MIN_CENSORED_LENGTH;
  const forms = isShort
    ? [pair, plain].map((form) => `(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])`)
    : [pair, plain, anyOf(base64Forms(secret))];
  const pattern = new RegExp([header, ...(secret === '' ? [] : forms)].join('|'), 'gu');
  patterns.set(credentials, pattern);
  return pattern;
}

/** A colon, plain and as in a URL or form. */
const COLON = '(?::|%3[Aa])';

/** A pattern of any of these forms. Longer forms come first, because they can begin with shorter ones. */
function anyOf(forms: readonly string[]): string {
  const longestFirst = forms.toSorted((one, other) => other.length - one.length);
  return `(?:${longestFirst.map((form) => RegExp.escape(form)).join('|')})`;
}

/** The base64 of a value: with padding, without padding, and for URLs. */
function base64Forms(value: string): readonly string[] {
  const padded = Buffer.from(value).toString('base64');
  // Without padding, shorter forms also occur in ordinary words.
  if (padded.length <= MIN_CENSORED_LENGTH) return [padded];
  const forms = [padded, padded.replace(/=+$/, ''), Buffer.from(value).toString('base64url')];
  return [...new Set(forms)];
}

/** The forms of a value: plain, and as the usual languages write it in JSON, in a URL or form, and in HTML. */
function waysToWrite(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  // In most secrets, nothing needs to be escaped.
  const forms = new Set([value, json, url, form]);
  if (forms.size === 1 && !/[/!'()*]/.test(value)) return [value];
  const python = json.replace(NOT_ASCII, escaped);
  const dotNet = json.replace(NOT_ASCII_OR_MARKUP, (character) =>
    escaped(character).toUpperCase().replace('U', 'u'),
  );
  for (const text of [
    json.replaceAll('/', '\\/'),
    python,
    python.replaceAll('/', '\\/'),
    json.replace(MARKUP, escaped),
    dotNet,
    dotNet.replaceAll('\\"', '\\u0022'),
    ...[url, url.replace(RESERVED, percentEncoded)].flatMap((each) => [each, each.replaceAll('%2F', '/')]),
    form.replace(RESERVED, percentEncoded),
    ...QUOTES_IN_HTML.map((quotes) => html(value, quotes)),
  ])
    forms.add(text);
  for (const text of [...forms]) forms.add(text.replace(PERCENT, lowerCase));
  return [...forms];
}

/** Characters beyond ASCII, each UTF-16 code unit by itself, as JSON escapes them. */
const NOT_ASCII = /[\u0080-\uffff]/g;
const MARKUP = /[<>&]/g;
/** The characters that .NET escapes. */
const NOT_ASCII_OR_MARKUP = /[\u0080-\uffff<>&'+`]/g;
const PERCENT = /%[0-9A-F]{2}/g;
/** Characters that some languages leave unchanged in URLs, but PHP and Python encode. */
const RESERVED = /[!'()*]/g;
const MARKUP_OR_QUOTE = /[<>&"']/g;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** How browsers, PHP, Python, Go and XML write quotation marks and apostrophes. */
const QUOTES_IN_HTML = [
  { '"': '"', "'": "'" },
  { '"': '&quot;', "'": "'" },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&apos;' },
];

function html(value: string, quotes: Readonly<Record<string, string>>): string {
  const entities: Readonly<Record<string, string>> = { ...ENTITIES, ...quotes };
  return value.replace(MARKUP_OR_QUOTE, (character) => entities[character] ?? character);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A character (a UTF-16 code unit) in JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function authorizationOf({ key, secret }: BasicCredentials): string {
  return `${key}:${secret}`;
}
