import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../problems/problem.ts';

/** Pages save one request at a time, and browsers open six connections to an origin. */
const MAX_AT_ONCE = 4;
/** As many as a browser sends over one connection of HTTP/2, so that nothing of a real course is refused. */
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = '1';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only in routes whose requests take turns. */
    launchTurn: Turn | null;
  }
}

/**
 * Lets the requests of a registration take turns, before their bodies are read: a learner who sends hundreds at once must
 * not keep the service or its database connections from others. The launches of a registration count together.
 */
export function takeTurns(scope: FastifyInstance): void {
  const turns = new Turns();
  scope.decorateRequest('launchTurn', null);
  scope.addHook('onRequest', async (request, reply) => {
    // Its body never arrives, and no event would end its turn.
    if (request.raw.destroyed) throw connectionClosed();
    const { registrationId, launchId } = request.launch;
    const turn = turns.request(registrationId ?? launchId);
    request.launchTurn = turn;
    // The work of a request goes on without its connection, and so does its turn.
    reply.raw.once('close', () => turn.isWorking || turn.end());
    await turn.begun;
  });
  scope.addHook('preHandler', async ({ launchTurn }) => {
    if (launchTurn !== null) launchTurn.isWorking = true;
  });
  scope.addHook('onSend', async ({ launchTurn }) => launchTurn?.end());
}

/** A request's place among those of its registration. */
class Turn {
  /** Whether the body has arrived and the request is being answered. */
  isWorking = false;
  /** Resolves at the beginning of the turn. */
  readonly begun: Promise<void>;
  readonly #onEnd: (turn: Turn) => void;
  #resolve: () => void = () => {};
  #reject: (reason: Error) => void = () => {};
  #hasEnded = false;

  constructor(onEnd: (turn: Turn) => void) {
    this.#onEnd = onEnd;
    this.begun = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  begin(): void {
    this.#resolve();
  }

  /** A second call changes nothing. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Without an effect if the turn has begun.
    this.#reject(tooMany());
    this.#onEnd(this);
  }
}

class Turns {
  readonly #byRegistration = new Map<string, { running: Set<Turn>; waiting: Set<Turn> }>();

  /** @throws {ProblemError} `too-many-requests` */
  request(id: string): Turn {
    const { running, waiting } = this.#byRegistration.get(id) ?? { running: new Set(), waiting: new Set() };
    if (waiting.size >= MAX_WAITING) throw tooMany();
    this.#byRegistration.set(id, { running, waiting });
    const turn = new Turn((ended) => {
      const wasRunning = running.delete(ended);
      waiting.delete(ended);
      const [next] = waiting;
      if (wasRunning && next !== undefined) {
        waiting.delete(next);
        running.add(next);
        // In another turn of the event loop, because requests without a body would otherwise follow without a pause.
        setImmediate(() => next.begin());
      }
      if (running.size === 0) this.#byRegistration.delete(id);
    });
    if (running.size < MAX_AT_ONCE) {
      running.add(turn);
      turn.begin();
    } else waiting.add(turn);
    return turn;
  }
}

/** Nobody receives it. */
function connectionClosed(): ProblemError {
  return new ProblemError('invalid-request', 'The connection was closed before the request had arrived');
}

function tooMany(): ProblemError {
  return new ProblemError('too-many-requests', 'This course sends too many requests at once', {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
