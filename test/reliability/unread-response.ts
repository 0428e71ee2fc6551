import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TargetExchange } from '../support/target-behaviours.ts';

/** The last exchange on each connection: what to call if its response is lost. */
const lastOn = new WeakMap<Socket, () => void>();

/**
 * Calls back if the sender does not read the response that a target is about to give, because it gave up before. A target
 * that was paused answers such requests, too. The sender has closed the connection, or it resets the connection with
 * the response in it. Either may be noticed only after the next request, which uses another connection. `callBack` may be called
 * twice.
 */
export function ifUnread({ response, tcp }: TargetExchange, callBack: () => void): void {
  const isKnown = lastOn.has(tcp);
  lastOn.set(tcp, callBack);
  if (!isKnown) tcp.once('error', () => lastOn.get(tcp)?.());
  response.once('close', () => {
    if (!response.writableFinished) callBack();
  });
  response.once('finish', async () => {
    // The rest of this turn, and a whole one, in which a close that came before the response is read.
    await nextTurn();
    await nextTurn();
    if (tcp.readableEnded || tcp.destroyed) callBack();
  });
}
