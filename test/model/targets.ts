import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SeededRandom } from '../reliability/seeded-random.ts';
import { listenOnFreePort } from '../support/free-port.ts';
import { type Arrival, tick } from './log.ts';
import { ELSEWHERE, FAILURES } from './statistics-checker.ts';

/** How a target responds to a message. */
interface Plan {
  /** The number of attempts that fail first. */
  failures: number;
  status: number;
  delayMs: number;
  attempts: number;
}

/** The target of one webhook, at all URLs that it ever had. */
export class ModelTarget {
  readonly arrivals: Arrival[] = [];
  /** While this is true, every attempt fails. */
  isDown = false;
  readonly #random: SeededRandom;
  readonly #plans = new Map<string, Plan>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** The response to the next attempt of a message. */
  answerTo(messageId: string): { status: number; delayMs: number } {
    const plan = this.#plans.get(messageId) ?? this.#newPlan();
    this.#plans.set(messageId, plan);
    if (this.isDown) return { status: 503, delayMs: 0 };
    plan.attempts += 1;
    return { status: plan.attempts > plan.failures ? 204 : plan.status, delayMs: plan.delayMs };
  }

  #newPlan(): Plan {
    const random = this.#random;
    const failures = random.chance(0.82)
      ? 0
      : random.chance(0.75)
        ? random.between(1, 2)
        : random.between(3, 7);
    const status = FAILURES[random.between(0, FAILURES.length - 1)]!;
    return { failures, status, delayMs: random.chance(0.15) ? random.between(2, 40) : 0, attempts: 0 };
  }
}

/** A server with the targets of all webhooks; a target's paths begin with its number. */
export class ModelTargets implements AsyncDisposable {
  readonly #seed: number;
  readonly #targets: ModelTarget[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));

  private constructor(seed: number) {
    this.#seed = seed;
    this.#server.keepAliveTimeout = 0;
  }

  static async start(seed: number): Promise<ModelTargets> {
    const targets = new ModelTargets(seed);
    await listenOnFreePort(targets.#server);
    return targets;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Creates another target and returns its number. */
  add(): { number: number; target: ModelTarget } {
    const number = this.#targets.length;
    const target = new ModelTarget(this.#seed + number);
    this.#targets.push(target);
    return { number, target };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => null);
    // The sender closed the connection before its request was complete.
    if (body === null) return;
    const target = this.#targets[Number(/^\/(\d+)\//.exec(request.url ?? '')?.[1])];
    if (target === undefined) {
      response.writeHead(404).end();
      return;
    }
    const messageId = String(request.headers['webhook-id']);
    const { status, delayMs } = target.answerTo(messageId);
    const arrival: Arrival = {
      at: tick(),
      path: request.url ?? '',
      authorization: request.headers.authorization,
      messageId,
      text: body,
      status,
      answeredAt: null,
    };
    target.arrivals.push(arrival);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (response.destroyed) return;
    arrival.answeredAt = tick();
    response.writeHead(status, status === 301 ? { location: ELSEWHERE } : {}).end();
  }
}
