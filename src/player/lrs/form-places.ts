import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from '../../http/address-key.ts';
import { ProblemError } from '../../problems/problem.ts';

const MAX_FORMS = 32;
const MAX_PER_ADDRESS = 8;
const RETRY_AFTER_SECONDS = '1';

/**
 * Bounds the forms that are read before their caller is known, because the credential is inside. Strangers could
 * otherwise fill the memory with them.
 */
export class FormPlaces {
  readonly #byAddress = new Map<string, number>();
  #taken = 0;

  /**
   * Takes a place until the returned function is called, or the connection is closed.
   * @throws {ProblemError} `too-many-requests`
   */
  take({ ip }: FastifyRequest, reply: FastifyReply): () => void {
    const address = addressKey(ip);
    const current = this.#byAddress.get(address) ?? 0;
    if (this.#taken >= MAX_FORMS || current >= MAX_PER_ADDRESS) {
      throw new ProblemError('too-many-requests', 'Too many forms with a credential inside arrive at once', {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      });
    }
    this.#taken += 1;
    this.#byAddress.set(address, current + 1);
    let isTaken = true;
    const free = () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      const left = this.#byAddress.get(address)! - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    };
    reply.raw.once('close', free);
    return free;
  }
}
