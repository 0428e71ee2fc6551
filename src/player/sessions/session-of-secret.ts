import { timingSafeEqual } from 'node:crypto';
import type { Reader } from '../../database/database.ts';
import { hashSecret, type Session } from './session.ts';
import { readSession } from './session-store.ts';

/** The session of a launch with this secret; null if it is another launch's, or the secret is wrong. */
export async function readSessionOfSecret(
  reader: Pick<Reader, 'all'>,
  launchId: string,
  { sessionId, secret }: { sessionId: string; secret: string },
): Promise<Session | null> {
  const found = sessionId === '' ? undefined : await readSession(reader, sessionId);
  if (found?.secretHash == null || found.session.launchId !== launchId) return null;
  const matches = timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(found.secretHash));
  return matches ? found.session : null;
}
