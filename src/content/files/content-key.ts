import { createHash, randomUUID } from 'node:crypto';

/** The form of keys: what has another name beside them (`lost+found` of a disk of its own) is not ours. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME_DIGITS = 12;
const VERSION_PLACE = 14;
const ETAG_CHARACTERS = 27;

/**
 * Draws a key: a UUID of version 7 (RFC 9562 section 5.7). The moment in it tells an import that may be under way on
 * another instance from what a crash left long ago, wherever the files are and whatever clock is there.
 */
export function newContentKey(now: number): string {
  const time = Math.floor(now).toString(16).padStart(TIME_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(VERSION_PLACE + 1)}`;
}

export function isContentKey(text: string): boolean {
  return KEY.test(text);
}

/** @throws {Error} for what is no key: it must never become part of a path. */
export function assertContentKey(key: string): void {
  if (!isContentKey(key)) throw new Error('this is not a key of the content store');
}

/** When a key was drawn, epoch milliseconds; 0 for one that does not tell. */
export function drawnAt(key: string): number {
  if (key[VERSION_PLACE] !== '7') return 0;
  return Number.parseInt(key.replace('-', '').slice(0, TIME_DIGITS), 16);
}

/** The entity tag of a file, the same in every store: what a key and a path name never changes. */
export function entityTagOf(key: string, path: string): string {
  const hash = createHash('sha256').update(`${key}/${path}`).digest('base64url');
  return `"${hash.slice(0, ETAG_CHARACTERS)}"`;
}
