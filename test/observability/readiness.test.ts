import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metrics } from '../../src/observability/metrics.ts';
import { type ReadinessCheck, ReadinessWatch } from '../../src/observability/readiness.ts';
import { recordedLogs } from '../support/logs.ts';
import { startS3 } from '../support/s3.ts';
import { startTestService, type TestService, until } from '../support/service.ts';

// Runs on SQLite alone: the storage of course files fails.

const EXPIRED = {
  status: 403,
  xml: '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>',
};

describe('a readiness check that fails', () => {
  it('is logged with its cause when it begins to fail, and when it succeeds again, however many probes ask for it', async () => {
    await using s3 = await startS3();
    await using service = await startTestService({
      settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
    });
    const linesAboutIt = () => service.logLines.filter(({ msg }) => msg.includes('readiness check'));
    assert.equal(await gaugeOf(service, 'content'), '1');

    s3.refuse = () => EXPIRED;
    for (let ask = 0; ask < 3; ask++) assert.equal((await service.api.get('/health/ready')).status, 503);
    const [begun] = linesAboutIt();
    assert.deepEqual([linesAboutIt().length, begun?.level, begun?.class], [1, 'error', 'Service']);
    assert.match(begun!.msg, /the readiness check content fails/);
    assert.equal(begun!.error.message, 'ExpiredToken: The provided token has expired. (status 403)');
    assert.equal(await gaugeOf(service, 'content'), '0');
    assert.equal(await gaugeOf(service, 'database'), '1');

    s3.refuse = () => null;
    assert.equal((await service.api.get('/health/ready')).status, 200);
    const [, ended] = linesAboutIt();
    assert.deepEqual([linesAboutIt().length, ended?.level], [2, 'info']);
    assert.match(ended!.msg, /the readiness check content succeeds again/);
    assert.equal(await gaugeOf(service, 'content'), '1');
  });

  it('is noticed and logged without a probe', async () => {
    const { lines, watch, setFailure } = watchOf();
    await using _watch = watch;
    watch.start();
    setFailure(new Error('the share is not mounted'));
    await until(() => lines.length === 1, 'the start is logged');
    assert.equal(lines[0]!.error.message, 'the share is not mounted');
    setFailure(null);
    await until(() => lines.length === 2, 'the end is logged');
  });

  it('is not logged again if something else logs its outages, but has a gauge', async () => {
    const { lines, watch, metrics, setFailure } = watchOf({ loggedElsewhere: ['content'] });
    await using _watch = watch;
    setFailure(new Error('it is down'));
    for (let run = 0; run < 2; run++) assert.deepEqual(await watch.run(), { content: 'failed' });
    assert.match(await metrics.text(), /^coursewire_check_ok\{check="content"\} 0$/m);
    assert.deepEqual(lines, []);
  });

  it('is logged if it does not respond, even if something else logs its outages', async (test) => {
    const { lines, watch } = watchOf({ loggedElsewhere: ['content'], check: () => new Promise(() => {}) });
    await using _watch = watch;
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const run = watch.run();
    test.mock.timers.runAll();
    assert.deepEqual(await run, { content: 'failed' });
    assert.equal(lines.length, 1);
    assert.match(lines[0]!.msg, /^the readiness check content fails/);
    assert.equal(lines[0]!.error.message, 'no response within 3 s');
    test.mock.timers.reset();
  });

  it('does not hide that a later run succeeded, even if the earlier run ends after it', async () => {
    const first = Promise.withResolvers<void>();
    let runs = 0;
    const { lines, watch, metrics } = watchOf({
      check: () => {
        runs += 1;
        return runs === 1 ? first.promise : Promise.resolve();
      },
    });
    await using _watch = watch;
    const earlier = watch.run();
    assert.deepEqual(await watch.run(), { content: 'ok' });
    first.reject(new Error('too late'));
    assert.deepEqual(await earlier, { content: 'failed' });
    assert.match(await metrics.text(), /^coursewire_check_ok\{check="content"\} 1$/m);
    assert.deepEqual(lines, []);
  });
});

/** A watch of one check, which fails while a failure is set. */
function watchOf({
  loggedElsewhere = [],
  check,
}: {
  loggedElsewhere?: string[];
  check?: ReadinessCheck;
} = {}) {
  const { logs, lines } = recordedLogs();
  const metrics = new Metrics({ engine: 'database', version: '1' });
  let failure: Error | null = null;
  const watch = new ReadinessWatch({
    checks: {
      content:
        check ??
        (async () => {
          if (failure !== null) throw failure;
        }),
    },
    loggedElsewhere,
    metrics,
    log: logs.for('Service'),
    everyMs: 5,
  });
  return {
    lines,
    metrics,
    watch,
    setFailure(next: Error | null) {
      failure = next;
    },
  };
}

async function gaugeOf({ api }: TestService, check: string): Promise<string | undefined> {
  const { body } = await api.get('/metrics');
  return new RegExp(`^coursewire_check_ok\\{check="${check}"\\} (\\d)$`, 'm').exec(body)?.[1];
}
