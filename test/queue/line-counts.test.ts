import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { repairLines } from '../../src/queue/lines/repair-lines.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { messageOf, VISIBILITY_MS } from './queue-engine.ts';

async function openLine() {
  const test = await openTestDatabase();
  const clock = new ManualClock();
  const reports: string[] = [];
  const { database } = test;
  const options = { now: clock.now, onMiscount: (text: string) => reports.push(text) };
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, ...options });
  const recount = () => repairLines(database, options);
  const enqueue = (lineId: number, ...names: string[]) =>
    database.transaction((tx) =>
      queue.enqueue(
        tx,
        names.map((name) => messageOf(lineId, name, 1)),
      ),
    );
  await enqueue(1, 'a', 'b', 'c');
  const run = (sql: string) => database.transaction((tx) => tx.run(sql));
  const receive = async () => {
    const request = { capacity: 10, visibilityMs: VISIBILITY_MS };
    return (await settleAndReceive({ queue, database }, request)).received.map(({ messageId }) => messageId);
  };
  return {
    queue,
    run,
    enqueue,
    receive,
    recount,
    reports,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

describe('the count of a line', () => {
  for (const set of ['pending = -1', 'pending = 0', 'available_at = null'])
    it(`cannot become inconsistent in the database (${set})`, async () => {
      await using line = await openLine();
      await assert.rejects(line.run(`update queue_lines set ${set} where line_id = 1`), /constraint/i);
      assert.equal((await line.queue.lines.line(1)).depth, 3);
    });

  for (const [fault, sql] of [
    ['too low', 'update queue_lines set pending = 0, available_at = null where line_id = 1'],
    ['too high', 'update queue_lines set pending = 7 where line_id = 1'],
  ] as const)
    it(`is corrected at the next start, and reported, if it is ${fault}`, async () => {
      await using line = await openLine();
      await line.run(sql);
      await line.recount();
      assert.equal((await line.queue.lines.line(1)).depth, 3);
      assert.deepEqual(await line.receive(), ['a']);
      assert.match(line.reports.join(), /^the line of webhook 1 had the count [07] but contains 3 messages$/);
      await line.recount();
      assert.equal(line.reports.length, 1);
    });

  it('is not checked at a start for the longest lines of a backlog of millions, so that the start takes seconds', async () => {
    await using line = await openLine();
    await line.enqueue(2, 'd');
    await line.run('update queue_lines set pending = 1000000 where line_id = 1');
    await line.run('update queue_lines set pending = 7 where line_id = 2');
    await line.recount();
    assert.equal((await line.queue.lines.line(2)).depth, 1);
    assert.match(line.reports.join(), /^the line of webhook 2 had the count 7 but contains 1 messages$/);
    await line.run('update queue_lines set pending = 7 where line_id = 1');
    await line.recount();
    assert.equal((await line.queue.lines.line(1)).depth, 3);
  });

  it('is corrected, and reported, if a due line turns out to be empty; other lines continue', async () => {
    await using line = await openLine();
    await line.run('delete from queue_messages where line_id = 1');
    assert.deepEqual(await line.receive(), []);
    assert.match(line.reports.join(), /webhook 1 had a count of messages but contains none/);
    assert.deepEqual(await line.queue.lines.line(1), { depth: 0, head: null });
    assert.deepEqual(await line.receive(), []);
    assert.equal(line.reports.length, 1);
  });
});
