import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The length that the specification gives `webhooks_auth_secret` (section 8). */
const SECRET_CHARACTERS = 64;

/** The kept secret cannot be read or is none. */
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
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${made}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // A link appears whole or not at all, and never over one that another process made first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKept(file) ?? made;
}

function readKept(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new AuthSecretError(`the file ${file} cannot be read`, { cause: error });
  }
  if (text.length !== SECRET_CHARACTERS) {
    throw new AuthSecretError(
      `the file ${file} must hold ${SECRET_CHARACTERS} characters, it holds ${text.length}; restore it from a backup`,
    );
  }
  return text;
}
