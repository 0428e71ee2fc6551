import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang } from '../support/target-behaviours.ts';
import { runCrash } from './crash-run.ts';
import { runLearners } from './learners-run.ts';
import { MortalProgram } from './mortal-program.ts';
import { seedOfRun } from './seeded-random.ts';

const KILLS = 6;
const CLIENTS = 6;
const WEBHOOKS = 20;

describe('the program, killed again and again', () => {
  test('loses no message, invents none, and keeps the order of every webhook', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    const seed = seedOfRun();
    try {
      const result = await runCrash({ seed, clients: CLIENTS, webhooks: WEBHOOKS, kills: KILLS });
      t.diagnostic(`seed ${seed}: ${JSON.stringify(result)}`);
      assert.ok(result.events > 60, 'enough happened for a test');
    } catch (error) {
      throw new Error(`failed with TEST_SEED=${seed}`, { cause: error });
    }
  });

  test('keeps everything that was confirmed to courses as saved, and sends each completion once', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    const seed = seedOfRun();
    try {
      const result = await runLearners({ seed, learners: 8, kills: 2 });
      t.diagnostic(`seed ${seed}: ${JSON.stringify(result)}`);
      assert.ok(result.resumed > 0, 'learners went on where they were');
    } catch (error) {
      throw new Error(`failed with TEST_SEED=${seed}`, { cause: error });
    }
  });

  test('the failures of the head of a line, kills among them, cost the messages behind it no attempt', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: hang() });
    await using program = await MortalProgram.start({ data_dir: folder.path });
    const { id } = await program.api.create('/webhooks', {
      name: 'three attempts',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 3,
    });
    const names = ['head', 'second', 'third', 'fourth'];
    for (const name of names) await program.api.create('/accounts', { name });
    await target.waitFor(1);
    await program.killAndRestart();
    await target.waitFor(2);

    const failures = new Map<string, number>();
    target.respondWith((exchange) => {
      const messageId = String(exchange.postback.headers['webhook-id']);
      const before = failures.get(messageId) ?? 0;
      failures.set(messageId, before + 1);
      const isHead = messageId === target.requests[0]?.headers['webhook-id'];
      answer(isHead || before < 2 ? 500 : 200)(exchange);
    });
    await program.killAndRestart();
    const deliveries = await until(async () => {
      const records = await program.readAll(`/webhooks/${id}/deliveries`);
      return (
        records.filter(({ status }) => status !== 'RETRYING').length === names.length && records.reverse()
      );
    }, 'all are delivered or dead-lettered');
    assert.deepEqual(
      deliveries.map(({ status, attempts }) => [status, attempts]),
      [
        // Two of its three attempts were cut off by kills: nobody knows how they went.
        ['DEAD_LETTERED', 1],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
      ],
    );
    assert.equal(target.requests.length, 3 * names.length);
  });
});
