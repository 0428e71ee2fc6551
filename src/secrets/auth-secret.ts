import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The length that the specification gives `webhooks_auth_secret` (section 8). */
const SECRET_CHARACTERS = 64;

/** The kept secret cannot be read or made, or is none. */
export class AuthSecretError extends Error {
  override name = 'AuthSecretError';
}

/** A random `webhooks_auth_secret`. */
export function makeAuthSecret(): string {
  return randomBytes(SECRET_CHARACTERS / 2).toString('hex');
}

/**
 * Keeps a secret in the file, readable by the owner only, and returns the one that the file holds: another
 * process may have been first. @throws {AuthSecretError}
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
  // A name of its own each time: a start that was cut off leaves its draft behind.
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // A link appears whole or not at all, and never over one that another process made first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The secret that the file holds; null without a file. @throws {AuthSecretError} */
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
