import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { PRIVATE_FILE_MODE } from '../file-system/file-modes.ts';
import { messageOf } from '../problems/error-message.ts';

/** The length of `webhooks_auth_secret`. */
const SECRET_CHARACTERS = 64;

/** The stored secret cannot be read or created, or is invalid. */
export class AuthSecretError extends Error {
  override name = 'AuthSecretError';
}

/** A random `webhooks_auth_secret`. */
export function makeAuthSecret(): string {
  return randomBytes(SECRET_CHARACTERS / 2).toString('hex');
}

/**
 * Stores a secret in the file, readable only by the owner, and returns the secret in the file, because another process
 * may have been first. @throws {AuthSecretError}
 */
export function keepAuthSecret(file: string, secret: string): string {
  try {
    keep(file, secret);
  } catch (error) {
    throw new AuthSecretError(`the file ${file} cannot be created: ${messageOf(error)}`, { cause: error });
  }
  return readAuthSecret(file) ?? secret;
}

/** Removes the file if it holds this secret. */
export function removeAuthSecret(file: string, secret: string): void {
  if (readAuthSecret(file) === secret) rmSync(file, { force: true });
}

function keep(file: string, secret: string): void {
  // A unique name, because an interrupted startup leaves its draft behind.
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: PRIVATE_FILE_MODE, flag: 'wx', flush: true });
    // Creating a link is atomic, and never replaces one that another process created first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The secret in the file; null if there is no file. @throws {AuthSecretError} */
export function readAuthSecret(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AuthSecretError(`the file ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { length } = [...text];
  if (length !== SECRET_CHARACTERS) {
    throw new AuthSecretError(
      `the file ${file} must contain ${SECRET_CHARACTERS} characters but contains ${length}; restore it from a backup`,
    );
  }
  return text;
}
