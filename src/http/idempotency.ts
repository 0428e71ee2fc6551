import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../database/database.ts';
import { invalidInput, ProblemError } from '../problems/problem.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import { callerOf } from './authorization.ts';
import {
  claimKey,
  deleteExpiredKey,
  deleteExpiredKeys,
  keepResponse,
  type Lifetime,
  readKey,
} from './idempotency-store.ts';

/** How long the response for a key is stored. */
const KEPT_FOR_MS = DAY_MS;
/**
 * A key that is later than now by more than this has expired, because the clock was ahead. Not by less: a clock that is set
 * back a little must not repeat a change.
 */
const AHEAD_MS = HOUR_MS;
const JSON_TYPE = 'application/json; charset=utf-8';
const MAX_KEY_LENGTH = 255;
const KEY = /^[\x21-\x7e]+$/;
/** SHA-256. */
const PLAIN_HASH = /^[0-9a-f]{64}$/;

/** The response of a handler to a POST. */
export interface HandlerResponse<Body> {
  status: number;
  headers?: Record<string, string>;
  body: Body;
}

/**
 * Encrypts responses that contain a secret. The text is bound to `context` and does not decrypt with another
 * one.
 */
export interface ResponseCipher {
  encrypt(context: string, text: string): string;
  /** @throws if it was encrypted with a secret that is no longer configured */
  decrypt(context: string, stored: string): string;
}

/** What identifies a request besides its body, and how long its response is repeated. */
interface Repetition {
  content?: string | undefined;
  keptForMs: number;
}

type Work<Body> = (tx: Transaction) => Promise<HandlerResponse<Body>>;

/** How the body of a response is stored, and the hash that identifies its request. */
interface Form {
  /** `body` is JSON, and so is what `read` returns. */
  write(body: string): string;
  read(stored: string): string;
  sealHash(hash: string): string;
  openHash(stored: string): string;
}

const PLAIN: Form = {
  write: (body) => body,
  read: (stored) => stored,
  sealHash: (hash) => hash,
  openHash: (stored) => stored,
};

/** Dependencies of {@link Idempotency}. */
export interface IdempotencyDependencies {
  database: Database;
  cipher: ResponseCipher;
  now: () => number;
}

/**
 * `Idempotency-Key` on POST (draft-ietf-httpapi-idempotency-key-header): the same key and request within 24
 * hours get the first response and change nothing. The key with a different request is a problem. The response
 * is stored in the transaction of the change, so that a crash cannot separate them.
 */
export class Idempotency {
  readonly #with: IdempotencyDependencies;

  constructor(dependencies: IdempotencyDependencies) {
    this.#with = dependencies;
  }

  /**
   * Handles a POST. `work` makes the change in the given transaction, or in its own if the request has no key.
   * @param content identifies the request if its body is not JSON, such as the hash of an upload
   * @throws {ProblemError} `idempotency-key-reused`, `invalid-request`
   */
  async respond<Body>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction | undefined) => Promise<HandlerResponse<Body>>,
    content?: string,
  ): Promise<Body> {
    return await this.#respond(request, reply, work, {
      content,
      formOf: () => PLAIN,
      keptForMs: KEPT_FOR_MS,
    });
  }

  /**
   * Like {@link respond}, for a response with a secret that is stored nowhere else, or a request with a secret that could
   * be guessed from its hash. Both are stored encrypted. If the secret of the service has since been replaced and the
   * old one removed, a repeated request is a problem, and still changes nothing.
   * @param keptForMs how long the response is of use, if that is shorter: later, the same request is carried out again
   * @throws {ProblemError} `idempotency-key-reused`, `invalid-request`, `conflict`
   */
  async respondWithSecret<Body>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction | undefined) => Promise<HandlerResponse<Body>>,
    keptForMs = KEPT_FOR_MS,
  ): Promise<Body> {
    const formOf = (clientId: string, key: string) => encrypted(this.#with.cipher, clientId, key);
    return await this.#respond(request, reply, work, { formOf, keptForMs });
  }

  /** Deletes responses that have expired, at most `limit`, and returns how many. */
  async forgetOld(limit: number): Promise<number> {
    return await this.#with.database.transaction((tx) => deleteExpiredKeys(tx, this.#lifetime(), limit));
  }

  /** When a key was claimed that has not expired. */
  #lifetime(keptForMs = KEPT_FOR_MS): Lifetime {
    const now = this.#with.now();
    return { after: now - keptForMs, until: now + AHEAD_MS };
  }

  async #respond<Body>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction | undefined) => Promise<HandlerResponse<Body>>,
    { formOf, ...repetition }: Repetition & { formOf: (clientId: string, key: string) => Form },
  ): Promise<Body> {
    const key = keyOf(request);
    const { response, replayed } =
      key === null
        ? { response: await work(undefined), replayed: false }
        : await this.#once({ request, reply }, key, work, repetition, formOf(callerOf(request).id, key));
    reply.code(response.status).headers(response.headers ?? {});
    // Without the schema of the response: an earlier release may have stored it, without members that are required now.
    if (replayed) reply.header('Idempotent-Replayed', 'true').type(JSON_TYPE).serializer(JSON.stringify);
    return response.body;
  }

  async #once<Body>(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    key: string,
    work: Work<Body>,
    { content, keptForMs }: Repetition,
    form: Form,
  ): Promise<{ response: HandlerResponse<Body>; replayed: boolean }> {
    // The name of the column dates from when clients were the only callers.
    const { id: clientId } = callerOf(request);
    const fingerprint = fingerprintOf(request, content);
    return await this.#with.database.transaction(async (tx) => {
      const claim = {
        client_id: clientId,
        idempotency_key: key,
        fingerprint: form.sealHash(fingerprint),
        created_at: this.#with.now(),
      };
      // On PostgreSQL, another request may take the expired key between two statements. Then it is claimed again.
      while (!(await claimKey(tx, claim))) {
        const kept = await readKey(tx, clientId, key);
        const lifetime = this.#lifetime(keptForMs);
        // Another request may have the key for longer.
        if (
          kept !== undefined &&
          isWithin(kept, this.#lifetime()) &&
          form.openHash(kept.fingerprint) !== fingerprint
        ) {
          throw new ProblemError(
            'idempotency-key-reused',
            'This Idempotency-Key was already used for a different request',
          );
        }
        if (kept !== undefined && isWithin(kept, lifetime)) {
          const body = JSON.parse(form.read(kept.body)) as Body;
          return {
            response: { status: kept.status, headers: JSON.parse(kept.headers), body },
            replayed: true,
          };
        }
        await deleteExpiredKey(tx, { clientId, key, lifetime });
      }
      const response = await work(tx);
      await keepResponse(tx, {
        clientId,
        key,
        status: response.status,
        headers: JSON.stringify(response.headers ?? {}),
        // The text that is sent: the serializer depends on the status.
        body: form.write(String(reply.code(response.status).serialize(response.body))),
      });
      return { response, replayed: false };
    });
  }
}

function isWithin({ created_at: at }: { created_at: number }, { after, until }: Lifetime): boolean {
  return at > after && at <= until;
}

/** Bound to its key, so that it cannot be decrypted for another one. */
function encrypted(cipher: ResponseCipher, clientId: string, key: string): Form {
  const owner = JSON.stringify([clientId, key]);
  const [response, request] = [`idempotency:${owner}`, `idempotency request:${owner}`];
  return {
    write: (body) => cipher.encrypt(response, body),
    read: (stored) => decrypted(cipher, response, stored),
    sealHash: (hash) => cipher.encrypt(request, hash),
    // The stored hash of a request without secrets is not encrypted. It belongs to another request, which this one must
    // not repeat.
    openHash: (stored) => (PLAIN_HASH.test(stored) ? stored : decrypted(cipher, request, stored)),
  };
}

function decrypted(cipher: ResponseCipher, context: string, stored: string): string {
  try {
    return cipher.decrypt(context, stored);
  } catch (error) {
    throw new ProblemError(
      'conflict',
      'This request was already processed, but its response can no longer be read: webhooks_auth_secret has changed since',
      { cause: error },
    );
  }
}

/** The key as plain text, or as the quoted string of the draft. */
function keyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(',') : header;
  const key = /^".*"$/.test(text) ? text.slice(1, -1) : text;
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) {
    throw invalidInput([
      {
        pointer: '/headers/Idempotency-Key',
        detail: `must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`,
      },
    ]);
  }
  return key;
}

function fingerprintOf(request: FastifyRequest, content: string | undefined): string {
  return createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
    .update(content ?? JSON.stringify(request.body ?? null))
    .digest('hex');
}
