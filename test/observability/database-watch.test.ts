import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Database,
  DatabaseUnavailableError,
  type OutcomeListener,
} from '../../src/database/database.ts';
import { DatabaseWatch } from '../../src/observability/database-watch.ts';
import { openTestDatabase } from '../support/database.ts';
import { recordedLogs } from '../support/logs.ts';
import { until } from '../support/until.ts';
import { withMembers } from '../support/watched-database.ts';

/** A watch of a database. The test reports the outcomes of statements itself. */
async function watched({ quietMs, tryEveryMs }: { quietMs: number; tryEveryMs: number }) {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const { logs, lines } = recordedLogs();
  let report: OutcomeListener = () => {};
  let reportSignals: (failure: unknown) => void = () => {};
  const silent = withMembers<Database>(database, {
    onOutcome: (listener) => {
      report = listener;
    },
    onReceivingSignals: (listener) => {
      reportSignals = listener;
    },
  });
  const watch = stack.use(
    new DatabaseWatch({
      database: silent,
      tryChange: async () => report(null, 'change'),
      log: logs.for('Database'),
      onLost: () => {},
      quietMs,
      tryEveryMs,
    }),
  );
  const opened = stack.move();
  const texts = (pattern: RegExp) => lines.filter(({ msg }) => pattern.test(msg));
  return { watch, report, reportSignals, texts, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const REFUSAL = new DatabaseUnavailableError('no room');

describe('a database that refuses some changes and accepts others', () => {
  it('has one outage in the log, which ends when nothing was refused for a while', async () => {
    const quietMs = 300;
    await using test = await watched({ quietMs, tryEveryMs: 5 });
    const REFUSED = 500;
    const begun = performance.now();
    for (let n = 0; n < REFUSED; n++) {
      test.report(REFUSAL, 'change');
      test.report(null, 'change');
    }
    const reportedForMs = performance.now() - begun;
    assert.equal(test.texts(/is failing/).length, 1);
    assert.deepEqual(test.texts(/works again/), []);
    await until(() => test.texts(/works again/).length > 0, 'the outage ends');
    const [ended] = test.texts(/works again/);
    assert.equal(ended?.failures, REFUSED);
    assert.ok(Number(ended.duration_ms) < reportedForMs + quietMs, 'the quiet time is not part of it');
    assert.equal(test.texts(/./).length, 2);
  });

  it('has ever fewer outages in the log if some requests always fail', async () => {
    await using test = await watched({ quietMs: 50, tryEveryMs: 5 });
    test.report(REFUSAL, 'read');
    await until(() => test.texts(/works again/).length === 1, 'the first outage ends');
    const begun = performance.now();
    test.report(REFUSAL, 'read');
    await until(() => test.texts(/works again/).length === 2, 'the second outage ends');
    assert.ok(performance.now() - begun >= 200, 'it lasts four times as long');
  });

  it('is ready as soon as it has accepted a change', async () => {
    await using test = await watched({ quietMs: 60_000, tryEveryMs: 60_000 });
    test.report(REFUSAL, 'change');
    await assert.rejects(test.watch.check(), REFUSAL);
    test.report(null, 'change');
    await test.watch.check();
  });
});

describe('a database whose signals cannot be received', () => {
  it('has one line in the log when that begins, with the error, and one when it ends', async () => {
    await using test = await watched({ quietMs: 60_000, tryEveryMs: 60_000 });
    test.reportSignals(null);
    for (let n = 0; n < 20; n++) test.reportSignals(REFUSAL);
    test.reportSignals(null);
    const lines = test.texts(/signals of other instances/);
    assert.deepEqual(
      lines.map(({ level, failures, error }) => [level, failures, error?.message]),
      [
        ['error', undefined, 'no room'],
        ['info', 20, undefined],
      ],
    );
    await test.watch.check();
  });
});

describe('a read that the database refused', () => {
  it('leaves the instance ready if the database responds and accepts changes', async () => {
    await using test = await watched({ quietMs: 60_000, tryEveryMs: 60_000 });
    test.report(REFUSAL, 'read');
    await test.watch.check();
    assert.equal(test.texts(/is failing/).length, 1);
  });
});

describe('a change that the database refuses although it works', () => {
  it('is reported, unless its caller expects that', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const refusals: string[] = [];
    database.onOutcome((refusal, use) => {
      if (refusal !== null) refusals.push(`${use}: ${refusal.message}`);
    });
    for (const expectsRefusal of [true, false])
      await assert.rejects(
        // As if the statements of this transaction met a damaged page.
        database.transaction(() => Promise.reject(REFUSAL), { expectsRefusal }),
        REFUSAL,
      );
    assert.deepEqual(refusals, ['change: no room']);
  });
});
