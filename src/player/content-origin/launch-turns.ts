import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasBody } from '../../http/request-deadline.ts';
import { ProblemError } from '../../problems/problem.ts';
import { connectionClosed } from './early-bodies.ts';

/** Pages save one request at a time, and browsers open six connections to an origin. */
const MAX_AT_ONCE = 4;
/** As many as a browser sends over one connection of HTTP/2, so that nothing of a real course is refused. */
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = '1';
/** Methods that change nothing. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only in routes whose requests take turns. */
    launchTurn: Turn | null;
  }
}

/**
 * Lets the requests of a registration take turns: a learner who sends hundreds at once must not keep the service or its
 * database connections from others. The launches of a registration count together.
 *
 * A small body arrives before the turn, see {@link readSmallBodiesEarly}: the request is then handled even if its
 * connection is closed, and a slow connection keeps no turn from others. Any other body is read during the turn, because
 * all of them together would fill the memory.
 */
export function takeTurns(scope: FastifyInstance): void {
  const turns = new Turns();
  scope.decorateRequest('launchTurn', null);
  scope.addHook('onRequest', async (request) => {
    const { registrationId, launchId } = request.launch;
    const turn = turns.request(registrationId ?? launchId);
    request.launchTurn = turn;
    if (request.earlyBody !== null) await request.earlyBody;
    else if (hasBody(request) || READS.has(request.method)) endWithConnection(turn, request);
    await turn.begin();
  });
  scope.addHook('preHandler', async ({ launchTurn }) => {
    if (launchTurn !== null) launchTurn.isWorking = true;
  });
  scope.addHook('onSend', async ({ launchTurn }) => launchTurn?.end());
}

/**
 * Ends a turn if the connection is closed before the body has arrived, or before the turn of a read, which nobody waits for
 * then. The work of a request goes on without it.
 */
function endWithConnection(turn: Turn, { raw }: FastifyRequest): void {
  // No event follows.
  if (raw.destroyed) throw connectionClosed();
  raw.once('close', () => {
    if (!turn.isWorking && !raw.readableEnded) turn.end();
  });
}

/** A request's place among those of its registration. */
class Turn {
  /** Whether the request is being answered. */
  isWorking = false;
  readonly #queue: Queue;
  #reject: (reason: Error) => void = () => {};

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** Resolves at the beginning of the turn. */
  async begin(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      this.#queue.begin(this, resolve);
    });
  }

  /** A second call changes nothing. */
  end(): void {
    // Without an effect if the turn has begun.
    this.#reject(connectionClosed());
    this.#queue.end(this);
  }
}

/** The requests of a registration. */
class Queue {
  /** All that have not ended, including those whose bodies arrive. */
  readonly #turns = new Set<Turn>();
  readonly #running = new Set<Turn>();
  readonly #waiting = new Map<Turn, () => void>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  /** @throws {ProblemError} `too-many-requests` */
  add(): Turn {
    if (this.#turns.size >= MAX_AT_ONCE + MAX_WAITING) throw tooMany();
    const turn = new Turn(this);
    this.#turns.add(turn);
    return turn;
  }

  begin(turn: Turn, onBegin: () => void): void {
    this.#waiting.set(turn, onBegin);
    this.#next();
  }

  end(turn: Turn): void {
    if (!this.#turns.delete(turn)) return;
    this.#running.delete(turn);
    this.#waiting.delete(turn);
    this.#next();
    if (this.#turns.size === 0) this.#onEmpty();
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#running.size >= MAX_AT_ONCE) return;
    const [turn, onBegin] = next;
    this.#waiting.delete(turn);
    this.#running.add(turn);
    // In another turn of the event loop, because requests without a body would otherwise follow without a pause.
    setImmediate(onBegin);
  }
}

class Turns {
  readonly #byRegistration = new Map<string, Queue>();

  /** @throws {ProblemError} `too-many-requests` */
  request(id: string): Turn {
    let queue = this.#byRegistration.get(id);
    if (queue === undefined) {
      queue = new Queue(() => this.#byRegistration.delete(id));
      this.#byRegistration.set(id, queue);
    }
    return queue.add();
  }
}

function tooMany(): ProblemError {
  return new ProblemError('too-many-requests', 'This course sends too many requests at once', {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
