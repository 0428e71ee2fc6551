import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The length that the specification gives `webhooks_auth_secret` (section 8). */
const SECRET_CHARACTERS = 64;

/** The kept secret cannot be read or made, or is none. */
export class AuthSecretError extends Error {
  override name = 'AuthSecretError';
}

/**
 * The `webhooks_auth_secret` that the embedded default made at its first start, or a new one, kept in the
 * file and readable by the owner only. @throws {AuthSecretError}
 */
export function keptAuthSecret(file: string): string {
  const kept = readKept(file);
  if (kept !== null) return kept;
  const made = randomBytes(SECRET_CHARACTERS / 2).toString('hex');
  try {
    keep(file, made);
  } catch (error) {
    throw new AuthSecretError(`the file ${file} cannot be made: ${messageOf(error)}`, { cause: error });
  }
  return readKept(file) ?? made;
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

function readKept(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AuthSecretError(`the file ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (text.length !== SECRET_CHARACTERS) {
    throw new AuthSecretError(
      `the file ${file} must hold ${SECRET_CHARACTERS} characters, it holds ${text.length}; restore it from a backup`,
    );
  }
  return text;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
