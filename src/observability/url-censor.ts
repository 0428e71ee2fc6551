import { CENSORED } from './censor.ts';

/** Shorter parts are no secret by themselves, and would replace ordinary words. */
const MIN_PART = 6;
/** What paths usually consist of besides their secrets, and reasons of failures: `hooks`, `Service`. */
const ORDINARY_WORD = /^[A-Z]?[a-z-]{1,15}$/;

/**
 * Returns a function that replaces a URL and its parts in a text. Receivers quote them in errors, such as
 * `Route POST:/hooks/T0/B0/sEcReT not found`, and anyone who knows them can post to the channel.
 */
export function urlCensor(url: string): (text: string) => string {
  const secrets = secretsOf(url);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, CENSORED), text);
}

/** The longest first, so that no rest of one remains. */
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
