import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from '../../http/address-key.ts';
import { endLateRequest } from '../../http/request-deadline.ts';
import { ProblemError } from '../../problems/problem.ts';

const MAX_FORMS = 32;
const MAX_PER_ADDRESS = 8;
const RETRY_AFTER_SECONDS = '1';

interface Place {
  address: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Bounds the forms that are read before their caller is known, because the credential is inside. Strangers could
 * otherwise fill the memory with them. If all places are taken, the form that has been arriving for the longest time
 * gives up its place. Otherwise, strangers could take all places with forms that never arrive completely.
 */
export class FormPlaces {
  /** The oldest comes first. */
  readonly #places = new Set<Place>();

  /**
   * Takes a place until the returned function is called, or the connection is closed.
   * @throws {ProblemError} `too-many-requests`
   */
  take(request: FastifyRequest, reply: FastifyReply): () => void {
    const address = addressKey(request.ip);
    const ofAddress = [...this.#places].filter((place) => place.address === address);
    if (ofAddress.length >= MAX_PER_ADDRESS || (this.#places.size >= MAX_FORMS && !this.#endOldest())) {
      throw new ProblemError('too-many-requests', 'Too many forms with a credential inside arrive at once', {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      });
    }
    const place = { address, request, reply };
    this.#places.add(place);
    const free = () => void this.#places.delete(place);
    reply.raw.once('close', free);
    return free;
  }

  /** Ends the oldest form that is still arriving. Returns false if all have arrived and are only being checked. */
  #endOldest(): boolean {
    for (const place of this.#places) {
      if (place.request.raw.complete) continue;
      this.#places.delete(place);
      endLateRequest(place.request, place.reply);
      return true;
    }
    return false;
  }
}
