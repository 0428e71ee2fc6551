import { createHash } from 'node:crypto';

/** The hash under which a session or a link is stored, so that readers of the database do not get its token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest('hex');
}
