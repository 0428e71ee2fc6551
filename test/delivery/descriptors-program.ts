import { closeSync, openSync } from 'node:fs';
import { codeOf } from '../../src/delivery/failure-reason.ts';
import { NameResolver } from '../../src/delivery/name-resolver.ts';
import { makeDelivery } from '../support/delivery.ts';
import { startNameServer } from '../support/name-server.ts';
import { startTarget } from '../support/target.ts';
import { until } from '../support/until.ts';

/** Delivers while this process has no file descriptor left, then while it has some again; prints what was counted. */
await using target = await startTarget();
await using names = await startNameServer(() => ['127.0.0.1']);
const resolver = new NameResolver({ nameServers: [names.address] });
// Now the hosts file is known.
await resolver.find('first.test');
await using delivery = await makeDelivery();
const webhook = await delivery.addWebhook(target.url, { maxAttempts: 1 });
await delivery.put(webhook, 'a', 'b');
await delivery.queue.lines.line(webhook);

const opened: number[] = [];
try {
  while (true) opened.push(openSync('/dev/null', 'r'));
} catch {
  // None is left.
}
delivery.worker.start();
await until(async () => delivery.counted.postponed.length > 0, 'a message is postponed');
const { receiveCount } = await until(async () => {
  const { head } = await delivery.queue.lines.line(webhook);
  return head !== null && !head.inFlight ? head : null;
}, 'the message is back in its line');
const lookup = codeOf(await resolver.find('second.test').catch((error: unknown) => error));
const reason = delivery.connectionTroubles.current()?.reason;
for (const descriptor of opened) closeSync(descriptor);
await target.waitFor(2);
await until(async () => delivery.counted.attempts.length === 2, 'both messages are settled');
process.stdout.write(
  `${JSON.stringify({ receiveCount, reason, lookup, attempts: delivery.counted.attempts })}\n`,
);
