import { hash } from 'node:crypto';

/** The hash under which a session or a link is stored, so that readers of the database do not get its token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
