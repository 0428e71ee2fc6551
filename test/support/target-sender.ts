import { setImmediate } from 'node:timers/promises';
import {
  type Postback,
  PostbackSender,
  type PostbackSenderOptions,
} from '../../src/delivery/postback-sender.ts';
import { TargetGuard, type TargetGuardOptions } from '../../src/delivery/target-guard.ts';
import { DEADLINE_MS } from './deadline.ts';

/** A sender that can reach the targets of tests, which are on the loopback network. */
export function loopbackSender(
  options: Partial<PostbackSenderOptions> & Pick<TargetGuardOptions, 'lookup'> = {},
): PostbackSender {
  const { lookup, ...rest } = options;
  const guard = new TargetGuard({
    allowedNetworks: ['127.0.0.0/8'],
    ...(lookup !== undefined && { lookup }),
  });
  return new PostbackSender({ guard, version: '1.2.3', ...rest });
}

/** Waits until a sender has this many connections: it learns later than the target that one is closed. */
export async function untilConnections(sender: PostbackSender, count: number): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (sender.connections !== count) {
    if (performance.now() > deadline)
      throw new Error(`${sender.connections} connections instead of ${count} after ${DEADLINE_MS} ms`);
    await setImmediate();
  }
}

/** A message with default members, except for the given ones. */
export function postbackTo(url: string, changes: Partial<Postback> = {}): Postback {
  return { messageId: 'msg_1', url, body: '{"topic":"ACCOUNT"}', credentials: null, ...changes };
}
