import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { DEADLINE_MS } from '../support/deadline.ts';
import { listenOnFreePort } from '../support/free-port.ts';

/** A target that responds immediately and keeps only ids, so that a million requests fit in memory. */
export interface CountingTarget extends AsyncDisposable {
  readonly url: string;
  /** While it is set, requests are answered 503. */
  fail: boolean;
  /** Requests that were answered 503. */
  readonly failed: number;
  /** Message ids of all other requests, in the order of their arrival. */
  readonly ids: readonly string[];
  /** When a message about an account of this name arrived, by `performance.now()`. */
  readonly arrivedAt: ReadonlyMap<string, number>;
  /**
   * Resolves at the request that makes the condition true.
   * @throws {Error} with the number of messages so far, when nothing arrives for as long as a test waits for something
   */
  until(condition: () => boolean): Promise<void>;
}

/**
 * Starts a target on a free port.
 * @param record receives each arrival instead of `ids` and `arrivedAt`, which stay empty. The collection of garbage pauses a
 *   process with millions of strings for up to a tenth of a second
 */
export async function startCountingTarget({
  record,
}: {
  record?: (name: string, arrivedAt: number) => void;
} = {}): Promise<CountingTarget> {
  const ids: string[] = [];
  const arrivedAt = new Map<string, number>();
  const waiting = new Set<() => void>();
  let failed = 0;
  const server = createServer(async (request, response) => {
    const now = performance.now();
    const body = await text(request).catch(() => null);
    if (body === null) return;
    if (target.fail) {
      failed += 1;
      response.writeHead(503).end();
    } else {
      const { resource } = JSON.parse(body) as { resource: { account: { name: string } } };
      const { name } = resource.account;
      if (record === undefined) {
        ids.push(String(request.headers['webhook-id']));
        arrivedAt.set(name, now);
      } else record(name, now);
      response.end();
    }
    for (const look of waiting) look();
  });
  const port = await listenOnFreePort(server);
  const target: CountingTarget = {
    url: `http://127.0.0.1:${port}/`,
    fail: false,
    get failed() {
      return failed;
    },
    ids,
    arrivedAt,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const giveUp = () => {
          waiting.delete(look);
          reject(new Error(`nothing arrived for ${DEADLINE_MS} ms, ${ids.length} messages before`));
        };
        const deadline = setTimeout(giveUp, DEADLINE_MS);
        const look = () => {
          deadline.refresh();
          if (!condition()) return;
          clearTimeout(deadline);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return target;
}
