import { hash, type Options, verify } from '@node-rs/argon2';
import { ProblemError } from '../../problems/problem.ts';

/** Argon2id, version 19, with the memory in KiB: the OWASP Password Storage Cheat Sheet's first choice of low memory. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const satisfies Options;
const SALT_BYTES = 16;
/** A hash that matches no password, at the cost of a real one. Used if there is no hash. */
const NO_PASSWORD =
  `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}` +
  `$${unpaddedBase64(SALT_BYTES)}$${unpaddedBase64(COST.outputLen)}`;

/**
 * Maximum number of running and waiting verifications. One takes about 20 ms, so the last waits for a second or
 * two.
 */
const MAX_WAITING = 64;
/** Additional places for known callers, because anybody can fill the queue with guesses. */
const RESERVED = 16;
const RETRY_AFTER_SECONDS = '2';

/**
 * Hashes and verifies passwords one at a time. Each takes 19 MiB and a core, so many sign-ins cost time, but
 * neither memory nor the threads of the rest of the process.
 */
export class Passwords {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * The hash to keep, in the PHC string format. Only known callers set passwords.
   * @throws {ProblemError} `unavailable` if too many are waiting.
   */
  async hash(password: string): Promise<string> {
    return await this.#inTurn(() => hash(normalized(password), COST), MAX_WAITING + RESERVED);
  }

  /**
   * Whether a password matches a hash. Without a hash, it does not, after the same time.
   * @param options.isKnown whether the caller has signed in before, so that others cannot keep them from waiting
   * @throws {ProblemError} `unavailable` if too many are waiting.
   */
  async verify(
    passwordHash: string | null,
    password: string,
    { isKnown = false }: { isKnown?: boolean } = {},
  ): Promise<boolean> {
    const matches = await this.#inTurn(
      () => verify(passwordHash ?? NO_PASSWORD, normalized(password)),
      isKnown ? MAX_WAITING + RESERVED : MAX_WAITING,
    );
    return matches && passwordHash !== null;
  }

  async #inTurn<T>(work: () => Promise<T>, maxWaiting: number): Promise<T> {
    if (this.#waiting >= maxWaiting) {
      throw new ProblemError(
        'unavailable',
        'Too many people are signing in at the same time. Try again shortly',
        {
          headers: { 'Retry-After': RETRY_AFTER_SECONDS },
        },
      );
    }
    this.#waiting += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Keyboards write the same character in several ways (NIST SP 800-63B section 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

function unpaddedBase64(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64').replace(/=+$/, '');
}
