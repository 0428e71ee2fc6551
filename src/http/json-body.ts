import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type InputError, invalidInput, ProblemError, pointerTo } from '../problems/problem.ts';

/** What makes a text worth a closer look: an escaped surrogate, or the one name that is no ordinary member. */
const SUSPICIOUS = /\\u[dD][89a-fA-F]|__proto__|\\u005[fF]/;
/** Steps down that a pointer tells; what lies deeper is told by where it begins. */
const MAX_POINTER_STEPS = 32;
const MAX_FOUND = 100;

/**
 * Takes bodies as JSON only: UTF-8 by the letter, since a name in another encoding would be stored mangled
 * (RFC 8259 section 8.1), and text that is Unicode, since databases and receivers take no other (RFC 7493
 * section 2.1). A body that is empty is none, whatever media type a client's library writes over it.
 */
export function takeJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.is404 || body.length === 0) return done(null, undefined);
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser('*', (request, _payload, done) => {
    if (request.is404 || isEmpty(request)) return done(null, undefined);
    done(
      new ProblemError(
        'unsupported-media-type',
        'The Content-Type of the body is not one that is taken here',
      ),
    );
  });
}

/** @throws {ProblemError} `malformed-json`, `invalid-request` */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  if (text === null) throw new ProblemError('malformed-json', 'The body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProblemError('malformed-json', 'The body is not valid JSON');
  }
  if (SUSPICIOUS.test(text)) {
    const errors = findUntakable(value);
    if (errors.length > 0) throw invalidInput(errors);
  }
  return value;
}

interface Node {
  value: unknown;
  key: string | number;
  parent: Node | null;
}

/** Unpaired surrogates and members named `__proto__`, wherever they are; without recursion, since depth is hostile. */
function findUntakable(root: unknown): InputError[] {
  const errors: InputError[] = [];
  const open: Node[] = [{ value: root, key: '', parent: null }];
  for (let node = open.pop(); node !== undefined && errors.length < MAX_FOUND; node = open.pop()) {
    const { value } = node;
    if (typeof value === 'string' && !value.isWellFormed()) {
      errors.push({ pointer: pointerOf(node), detail: 'holds half a character: an unpaired surrogate' });
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      const child: Node = { value: member, key, parent: node };
      if (key === '__proto__') errors.push({ pointer: pointerOf(child), detail: 'is not a known member' });
      else if (!key.isWellFormed()) {
        errors.push({ pointer: pointerOf(child), detail: 'has half a character in its name' });
      } else open.push(child);
    }
  }
  return errors.reverse();
}

function pointerOf(node: Node): string {
  const keys: (string | number)[] = [];
  for (let at: Node | null = node; at !== null && at.parent !== null; at = at.parent) keys.push(at.key);
  return keys.reverse().slice(0, MAX_POINTER_STEPS).reduce<string>(pointerTo, '');
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whether a request has no body (RFC 9112 section 6.3). */
function isEmpty({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}
