import { hash, randomUUID } from 'node:crypto';
import { isUuid } from '../../uuid.ts';

/** Number of characters of a key. */
export const CONTENT_KEY_LENGTH = 36;
const TIME_DIGITS = 12;
const VERSION_PLACE = 14;
const ETAG_CHARACTERS = 27;

/**
 * Generates a key: a UUID of version 7 (RFC 9562 section 5.7). Its timestamp distinguishes an import in progress on
 * another instance from leftovers of a crash, regardless of the store and its clock.
 */
export function newContentKey(now: number): string {
  const time = Math.floor(now).toString(16).padStart(TIME_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(VERSION_PLACE + 1)}`;
}

/** Whether a text has the form of keys. Anything with another name (such as `lost+found` of a separate disk) is not ours. */
export function isContentKey(text: string): boolean {
  return isUuid(text);
}

/** @throws {Error} if it is not a key, because it must never become part of a path. */
export function assertContentKey(key: string): void {
  if (!isContentKey(key)) throw new Error('this is not a key of the content store');
}

/** When a key was generated, in epoch milliseconds; 0 if the key has no timestamp. */
export function generatedAt(key: string): number {
  if (key[VERSION_PLACE] !== '7') return 0;
  return Number.parseInt(key.replace('-', '').slice(0, TIME_DIGITS), 16);
}

/**
 * The entity tag of a file, which is the same in every store, because the file of a key and path never changes. The form
 * of Unicode makes no difference: a package has no two names that differ in it alone.
 */
export function entityTagOf(key: string, path: string): string {
  const digest = hash('sha256', `${key}/${path.normalize('NFC')}`, 'base64url');
  return `"${digest.slice(0, ETAG_CHARACTERS)}"`;
}
