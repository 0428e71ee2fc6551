import { CENSORED } from './censor.ts';
import { writtenForms } from './written-forms.ts';

/** Shorter parts are no secret by themselves, and would replace ordinary words. */
const MIN_PART = 6;
/** Ordinary words of paths and of failure reasons, which are not secrets: `hooks`, `Service`. */
const ORDINARY_WORD = /^[A-Z]?[a-z-]{1,15}$/;

/** A shorter query could occur in any text by chance, and contains no token. */
export const MIN_CENSORED_QUERY_LENGTH = 4;
/** Replaces the query of a URL, or a part of it. */
const OMITTED = '…';
const QUERY = /\?[^\s"'<>;,]+/g;
/** The longest search for parts of a query, in characters of the text times parts. It takes some 10 ms. */
const MAX_SEARCH = 16_000_000;

/**
 * Returns a function that replaces a URL and its parts in a text. Receivers quote them in errors, such as
 * `Route POST:/hooks/T0/B0/sEcReT not found`, and anyone who knows them can post to the channel.
 */
export function urlCensor(url: string): (text: string) => string {
  const secrets = secretsOf(url);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, CENSORED), text);
}

/** A URL without its query, which often contains a token. The rest shows where a request went. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, `?${OMITTED}`);
}

/**
 * A short text without the queries of the URLs and paths in it, even if the text was shortened within one.
 * @param mark replaces them
 */
export function withoutQueries(text: string, mark = OMITTED): string {
  return text.replace(QUERY, `?${mark}`);
}

/**
 * Returns a function that removes the query of a URL from a text, and each of its values in any form. The path, and the
 * names of the values, remain. If the search would take long, nothing of the text remains.
 */
export function queryCensor(url: string): (text: string) => string {
  let secrets: readonly string[] | null = null;
  return (text) => {
    secrets ??= querySecretsOf(url);
    if (secrets.length * text.length > MAX_SEARCH) return OMITTED;
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, OMITTED), text);
  };
}

/**
 * The query of a URL, and its parts that may be secret, in every written form. The longest come first, so that nothing
 * of one remains.
 */
function querySecretsOf(url: string): string[] {
  const [, query = ''] = /^[^?#]*\?([^#]*)/s.exec(url) ?? [];
  if (query.length < MIN_CENSORED_QUERY_LENGTH) return [];
  const pairs = query.split('&');
  const values = pairs
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .flatMap((value) => [value, decoded(value), decoded(value.replaceAll('+', ' '))])
    .filter(({ length }) => length >= MIN_PART);
  const secrets = new Set([
    ...[query, decoded(query)].filter(({ length }) => length >= MIN_CENSORED_QUERY_LENGTH),
    ...pairs.filter(({ length }) => length >= MIN_PART),
    ...[...new Set(values)].flatMap(writtenForms),
  ]);
  return [...secrets].sort((a, b) => b.length - a.length);
}

/** A URL and its parts that may be secret. The longest come first, so that nothing of one remains. */
function secretsOf(url: string): string[] {
  const { href, pathname, search, hash, username, password } = new URL(url);
  const query = search.slice(1);
  const whole = [url, href, `${pathname}${search}${hash}`, `${pathname}${search}`, pathname, search, query];
  const parts = `${pathname}/${query}/${hash.slice(1)}/${username}/${password}`
    .split(/[/&=]/)
    .filter((part) => part.length >= MIN_PART && !ORDINARY_WORD.test(part));
  const secrets = [...whole, ...parts].filter((text) => text.length >= MIN_PART && !ORDINARY_WORD.test(text));
  return [...new Set([...secrets, ...secrets.map(decoded)])].sort((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
