import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;
/** 32 bytes in base64url. */
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** The token of a new session or link: 256 random bits. */
export function newToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Whether a text has the shape of a token, so that looking it up makes sense. */
export function isToken(text: string): boolean {
  return SHAPE.test(text);
}

/** The hash under which a session or a link is stored, so that readers of the database do not get its token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
