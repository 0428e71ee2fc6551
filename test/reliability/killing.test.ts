import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang } from '../support/target-behaviours.ts';
import { MortalProgram } from './mortal-program.ts';

/** `npm run prove` kills it under load (`test/proofs/crash.ts`, `test/proofs/learners.ts`). */
describe('a service that is killed again and again', () => {
  test('counts no attempt for the messages behind a head that fails or is interrupted by a kill', async () => {
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
        // Two of its three attempts were aborted by kills, so their outcomes are unknown.
        ['DEAD_LETTERED', 1],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
      ],
    );
    assert.equal(target.requests.length, 3 * names.length);
  });
});
