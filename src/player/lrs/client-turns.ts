import type { FastifyRequest } from 'fastify';
import { KIB } from '../../bytes.ts';
import type { CallerTurns } from '../../http/caller-turns.ts';
import { Turns } from '../../http/turns.ts';
import { SECOND_MS } from '../../time/units.ts';
import { FormPlaces } from './form-places.ts';
import { callerIdOf } from './lrs-clients.ts';
import type { LrsRequest, LrsResponse } from './lrs-request.ts';
import { assertMethod, isRead, type LrsScope } from './lrs-scope.ts';

/** Smaller bodies name too few activities to keep the database for long. */
const LARGE_BYTES = 64 * KIB;
/** The largest takes a third of a second, for which all other changes wait on SQLite. */
const MAX_LARGE_WRITES = 1;
/** If the database does not respond, those that wait would otherwise fail one after another. */
const LARGE_WAIT_MS = 30 * SECOND_MS;

/**
 * Lets the requests of API clients take turns: each client's own, and the large writes of all of them. Otherwise, a client
 * who sends many at once would fill the memory, and stop the changes and deliveries of everybody else.
 */
export class ClientTurns {
  /** Forms whose caller is not known yet. */
  readonly forms = new FormPlaces();
  readonly #ofCallers: CallerTurns;
  readonly #largeWrites = new Turns({ atOnce: MAX_LARGE_WRITES });

  constructor(ofCallers: CallerTurns) {
    this.#ofCallers = ofCallers;
  }

  /**
   * Resolves at the beginning of the request's turn among those of its caller.
   * @throws {ProblemError} `method-not-allowed`, `forbidden`, `too-many-requests`, `invalid-request` if the connection is closed
   *   before
   */
  async take(request: FastifyRequest, scope: LrsScope, method: string): Promise<void> {
    assertMethod(scope, method);
    await this.#ofCallers.take(request, callerIdOf(scope), isRead(method) ? 'large-read' : 'large-write');
  }

  /**
   * Does the work of a request whose body has arrived, a large write in its turn among those of all callers.
   * @throws {ProblemError} `unavailable` if the turn does not begin in time, and what `work` throws
   */
  async run({ method, body }: LrsRequest, work: () => Promise<LrsResponse>): Promise<LrsResponse> {
    if (isRead(method) || body.length < LARGE_BYTES) return await work();
    const turn = this.#largeWrites.request('all');
    try {
      await turn.beginWithin(LARGE_WAIT_MS, 'Large writes of others take too long');
      return await work();
    } finally {
      turn.end();
    }
  }
}
