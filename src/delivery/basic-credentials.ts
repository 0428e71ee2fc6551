import { CENSORED } from '../observability/censor.ts';
import { shortened } from '../observability/shortened.ts';
import { writtenForms } from '../observability/written-forms.ts';
import { oncePer } from '../once-per.ts';
import type { BasicCredentials } from '../secrets/credentials-cipher.ts';

/** Shorter secrets occur in words and numbers by chance, so only whole words are replaced. */
const MIN_CENSORED_LENGTH = 4;

/** The value of an `Authorization` header. Credentials are encoded as UTF-8. */
export function basicAuthorization(credentials: BasicCredentials): string {
  return `Basic ${Buffer.from(authorizationOf(credentials)).toString('base64')}`;
}

/**
 * Removes credentials from a text that a target sent. Many targets return the request in their response, which is
 * stored and logged.
 * @param options.isCut whether the rest of the text is missing. Then its end is removed, too: it may be the beginning of
 *   credentials
 */
export function withoutCredentials(
  text: string,
  credentials: BasicCredentials,
  { isCut = false } = {},
): string {
  const { secret } = credentials;
  // Most responses are short. An encoded credential is never shorter than the plain one, so it cannot be in them.
  if ((text.length < secret.length && !isCut) || text === '') return text;
  const censored = text.replace(patternOf(credentials), CENSORED);
  return isCut ? shortened(censored, Math.max(1, censored.length - longestOf(credentials))) : censored;
}

/** The length of the longest form of credentials. */
const longestOf = oncePer((credentials: BasicCredentials): number => {
  const { secret } = credentials;
  const values = [secret, ...base64Forms(secret), ...base64Forms(authorizationOf(credentials))];
  return Math.max(...values.flatMap(writtenForms).map(({ length }) => length));
});

/** Built once, because this takes longer than the search in a short response. */
const patternOf = oncePer((credentials: BasicCredentials): RegExp => {
  const { key, secret } = credentials;
  const header = anyOf(base64Forms(authorizationOf(credentials)).flatMap(writtenForms));
  const plain = anyOf(writtenForms(secret));
  // The pair is removed with its key. The key alone is not removed, because it may be an ordinary word.
  const pair = `${anyOf(writtenForms(key))}${COLON}${plain}`;
  const isShort = secret.length < MIN_CENSORED_LENGTH;
  const forms = isShort
    ? [pair, plain].map((form) => `(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])`)
    : [pair, plain, anyOf(base64Forms(secret))];
  return new RegExp([header, ...(secret === '' ? [] : forms)].join('|'), 'gu');
});

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

function authorizationOf({ key, secret }: BasicCredentials): string {
  return `${key}:${secret}`;
}
