import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ENOUGH_ERRORS,
  type InputError,
  invalidInput,
  ProblemError,
  pointerTo,
} from '../problems/problem.ts';
import { hasBody } from './request-deadline.ts';

/** Finds texts that need a closer check: an escaped surrogate, or the name `__proto__`, escaped or not. */
const SUSPICIOUS = /__proto__|\\u(?:00|[dD][89a-fA-F])/;
/**
 * Maximum nesting of objects and arrays. Valid requests have at most six levels. Recursive code is safe within
 * it.
 */
const MAX_DEPTH = 64;
/**
 * Maximum number of members of all objects in a request to the API. Clients send records back as they read them, and that
 * of a registration with 2,000 units has 20,018.
 */
export const MAX_MEMBERS = 25_000;
/** An unpaired surrogate, as `JSON.stringify` writes it. It may also find a text with a backslash. */
const HALF = /\\ud[89a-f]/;

const COLON = 0x3a;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Accepts only JSON bodies. They must be valid UTF-8, because a name in another encoding would be stored garbled (RFC 8259
 * section 8.1). They must be valid Unicode, because databases and receivers accept nothing else (RFC 7493 section 2.1).
 * An empty body counts as no body, with any media type.
 */
export function acceptJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const refusal = encodingRefusal(request);
    if (refusal !== null) return done(refusal);
    try {
      done(null, parseJson(body as Buffer, MAX_MEMBERS));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (!hasBody(request)) return undefined;
    if (request.headers['content-length'] === undefined && (await isEmpty(payload))) return undefined;
    throw unsupported('The Content-Type of the body must be application/json');
  });
}

/**
 * Whether a body of unknown length ends before its first byte. Otherwise, the rest is discarded while it arrives, because
 * closing a connection with unread bytes can lose the response.
 */
function isEmpty(payload: Readable): Promise<boolean> {
  return new Promise((resolve, reject) => {
    payload.on('data', () => resolve(false));
    payload.once('end', () => resolve(true));
    payload.once('error', (cause) =>
      reject(new ProblemError('invalid-request', 'The body is incomplete', { cause })),
    );
  });
}

/** What to do with unpaired surrogates, which are halves of characters. `replace` puts U+FFFD in their place. */
export type HalvesTreatment = 'refuse' | 'replace' | 'keep';

/**
 * @param maxMembers limit for all objects together: parsing and checking many takes long
 * @param maxCommas limit for the commas between members and items together
 * @param halves courses cut texts at a number of code units, so what they send may contain halves of characters
 * @throws {ProblemError} `malformed-json`, `invalid-request`
 */
export function parseJson(
  bytes: Uint8Array,
  maxMembers = Number.POSITIVE_INFINITY,
  maxCommas = Number.POSITIVE_INFINITY,
  halves: HalvesTreatment = 'refuse',
): unknown {
  const text = decodeUtf8(bytes);
  if (text === null) throw new ProblemError('malformed-json', 'The body is not valid UTF-8');
  const { depth, members, commas } = measure(bytes);
  if (members > maxMembers) {
    throw new ProblemError('invalid-request', `The body has more than ${maxMembers} members`);
  }
  if (commas > maxCommas) {
    throw new ProblemError('invalid-request', `The body has more than ${maxCommas} members and items`);
  }
  // Checked before parsing: a megabyte of opening brackets keeps the parser busy for a long time.
  if (depth > MAX_DEPTH) {
    throw new ProblemError('invalid-request', `The body is nested more than ${MAX_DEPTH} levels deep`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProblemError('malformed-json', 'The body is not valid JSON');
  }
  if (!SUSPICIOUS.test(text)) return value;
  if (halves === 'replace') value = withoutHalves(value);
  const errors = findUnacceptable(value, halves === 'keep');
  if (errors.length > 0) throw invalidInput(errors);
  return value;
}

/** Data that was parsed from JSON, with U+FFFD in place of each half of a character, because receivers may refuse these. */
export function wellFormed(data: unknown): unknown {
  return HALF.test(JSON.stringify(data)) ? withoutHalves(data) : data;
}

function withoutHalves(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(withoutHalves);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), withoutHalves(member)]),
  );
}

/** The number of commas between members or items of JSON: about how many of them it has, without parsing it. */
export function commasIn(bytes: Uint8Array): number {
  return measure(bytes).commas;
}

interface Node {
  value: unknown;
  key: string | number;
  parent: Node | null;
}

/**
 * The nesting depth of JSON, the number of members, and that of commas between members or items. For invalid JSON, the result is arbitrary. In UTF-8, no
 * other character contains these bytes.
 */
function measure(bytes: Uint8Array): { depth: number; members: number; commas: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  let commas = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === COLON) members += 1;
    else if (byte === COMMA) commas += 1;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) open -= 1;
  }
  return { depth, members, commas };
}

/** Unpaired surrogates, unless they are kept, and members named `__proto__`, wherever they are. */
function findUnacceptable(root: unknown, keepsHalves: boolean): InputError[] {
  const errors: InputError[] = [];
  const open: Node[] = [{ value: root, key: '', parent: null }];
  for (let node = open.pop(); node !== undefined && errors.length < ENOUGH_ERRORS; node = open.pop()) {
    const { value } = node;
    if (!keepsHalves && typeof value === 'string' && !value.isWellFormed()) {
      errors.push({
        pointer: pointerOf(node),
        detail: 'must not contain an unpaired surrogate (half a character)',
      });
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (errors.length === ENOUGH_ERRORS) break;
      const child: Node = { value: member, key, parent: node };
      if (key === '__proto__') errors.push({ pointer: pointerOf(child), detail: 'is not a known member' });
      else if (!keepsHalves && !key.isWellFormed()) {
        errors.push({
          pointer: pointerOf(child),
          detail: 'must not have an unpaired surrogate (half a character) in its name',
        });
      } else open.push(child);
    }
  }
  return errors.reverse();
}

function pointerOf(node: Node): string {
  const keys: (string | number)[] = [];
  for (let at = node; at.parent !== null; at = at.parent) keys.push(at.key);
  return keys.reverse().reduce<string>(pointerTo, '');
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function unsupported(detail: string): ProblemError {
  return new ProblemError('unsupported-media-type', detail);
}

/** The refusal of a body with a content coding, such as compression (RFC 9110 section 8.4). Null if it has none. */
export function encodingRefusal({ headers }: FastifyRequest): ProblemError | null {
  const coding = (headers['content-encoding'] || 'identity').trim().toLowerCase();
  return coding === 'identity' ? null : unsupported('The body must have no Content-Encoding');
}
