import { setTimeout as delay } from 'node:timers/promises';
import { NameResolver } from '../../src/delivery/name-resolver.ts';
import { makeDelivery } from '../support/delivery.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { until } from '../support/until.ts';
import type { IsolationMeasurement, IsolationPlan } from './isolation-plan.ts';

const MEMORY_EVERY_MS = 50;
/** Replaces the resolver's files: names come only from the proof's name server. */
const NOWHERE = '/dev/null';

/** Delivers to good and bad webhooks according to the plan in the first argument, and prints the measurements. */
const plan = JSON.parse(process.argv[2] ?? '') as IsolationPlan;
const resolver = new NameResolver({
  nameServers: [plan.nameServer],
  hostsFile: NOWHERE,
  resolverFile: NOWHERE,
});
await using delivery = await makeDelivery({
  concurrency: 256,
  timeoutMs: 30_000,
  retryInitialMs: 1_000,
  retryMaxMs: 5_000,
  lookup: resolver.lookup,
});
const good: number[] = [];
for (const url of plan.goodUrls) good.push(await delivery.addWebhook(url));
const bad: number[] = [];
for (const url of plan.badUrls) bad.push(await delivery.addWebhook(url));
delivery.worker.start();

let sent = 0;
async function publish(webhooks: readonly number[]): Promise<void> {
  await Promise.all(
    webhooks.map((webhook) => {
      sent += 1;
      return delivery.put(webhook, `${sent} ${performance.timeOrigin + performance.now()}`);
    }),
  );
}
for (const webhook of good) await publish([webhook]);
await until(
  async () => delivery.counted.attempts.filter(isSuccess).length >= good.length,
  'all good webhooks are warm',
);
await publish(bad);

let peakBytes = 0;
const memory = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, MEMORY_EVERY_MS);
const expected = delivery.counted.attempts.filter(isSuccess).length;
let published = 0;
const longestStallMs = await longestStallDuring(async () => {
  for (let tick = 0; tick < plan.ticks; tick++) {
    const turn = Array.from(
      { length: plan.messagesPerTick },
      (_, n) => good[(tick * plan.messagesPerTick + n) % good.length]!,
    );
    published += turn.length;
    await publish([...turn, ...(bad.length === 0 ? [] : [bad[tick % bad.length]!])]);
    await delay(plan.tickMs);
  }
  await until(
    async () => delivery.counted.attempts.filter(isSuccess).length >= expected + published,
    'all messages to good webhooks arrived',
  );
});
clearInterval(memory);
const measured: IsolationMeasurement = { peakBytes, longestStallMs };
process.stdout.write(JSON.stringify(measured));
process.exit(0);

function isSuccess(outcome: string): boolean {
  return outcome === 'success';
}
