import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { UsageError } from '../bench/arguments.ts';
import { compareRuns, readResults } from '../bench/comparison.ts';
import { renderComparison } from '../bench/report.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '..');
const EXIT_FELL = 1;
const EXIT_USAGE = 2;

/** Rates of four turns: the service beside a raw client that makes 10,000 in each. */
function deliveries(service: readonly number[]) {
  const sum = service.reduce((total, rate) => total + rate, 0);
  return {
    share_of_raw: sum / (service.length * 10_000),
    share_of_base: null,
    cpu_share_of_raw: 0.5,
    sqs: null,
    turns: { service, raw: service.map(() => 10_000), base: [] },
  };
}

/** Requests to the API, whose share varied by 0.02 between the quartiles. */
function besideFastify(share: number) {
  return {
    share_of_fastify: share,
    share_of_fastify_turns: [share - 0.01, share - 0.01, share, share + 0.01],
    cpu_share_of_fastify: share / 2,
  };
}

/** The parts of a run's results that a comparison reads. */
function results(changes: object = {}) {
  return {
    machine: { cpu: 'a', cores: 2 },
    database: { name: 'sqlite', about: null },
    queue: { name: 'database', about: null },
    plan: { name: 'full' },
    deliveries: {
      one_webhook: deliveries([4_000, 4_000, 4_100, 4_200]),
      hundred_webhooks: deliveries([3_000, 3_400, 3_600, 4_000]),
    },
    events: { events: { published: besideFastify(0.4) } },
    tokens: besideFastify(0.3),
    player: { share_of_static: 0.7, share_of_static_turns: [0.69, 0.7, 0.7, 0.71], cpu_share_of_static: 0.8 },
    ...changes,
  };
}

/** Writes two made-up runs, and returns the result of `use` for their files. */
function withFiles<T>(earlier: unknown, later: unknown, use: (one: string, other: string) => T): T {
  using folder = temporaryFolder();
  const [one, other] = ['earlier', 'later'].map((name) => path.join(folder.path, `${name}.json`)) as [
    string,
    string,
  ];
  for (const [file, content] of [
    [one, earlier],
    [other, later],
  ] as const)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return use(one, other);
}

/** Compares two made-up runs by the command line. */
function compare(earlier: unknown, later: unknown) {
  return withFiles(earlier, later, (one, other) => bench('--compare', one, '--read', other));
}

/** Compares them as the command does, in this process. */
function compareHere(earlier: unknown, later: unknown) {
  return withFiles(earlier, later, (one, other) => compareRuns(readResults(one), readResults(other)));
}

function bench(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/main.ts', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('"npm run bench -- --compare"', () => {
  it('passes if no ratio fell by more than its spread, and shows each', () => {
    const { status, stdout, stderr } = compare(
      results(),
      results({
        deliveries: {
          // Lower by less than the 0.04 between the quartiles of the earlier turns.
          hundred_webhooks: deliveries([3_100, 3_100, 3_300, 3_300]),
          one_webhook: deliveries([6_000, 6_000, 6_000, 6_000]),
        },
      }),
    );
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '');
    assert.match(stdout, /^deliveries\.one_webhook\.share_of_raw +0\.407 +0\.600 +0\.010$/m);
    assert.match(stdout, /^deliveries\.hundred_webhooks\.share_of_raw +0\.350 +0\.320 +0\.060$/m);
    assert.match(stdout, /^player\.share_of_static +0\.700 +0\.700 +0\.010$/m);
  });

  it('fails and names each ratio that fell by more than its spread', () => {
    const { status, stdout, stderr } = compare(
      results(),
      results({
        deliveries: {
          one_webhook: deliveries([3_800, 3_800, 3_800, 3_800]),
          hundred_webhooks: deliveries([3_400, 3_400, 3_400, 3_400]),
        },
        player: { share_of_static: 0.7, share_of_static_turns: [0.7, 0.7], cpu_share_of_static: 0.71 },
      }),
    );
    assert.equal(status, EXIT_FELL, stdout);
    assert.deepEqual(stderr.trim().split('\n'), [
      'fell: deliveries.one_webhook.share_of_raw: 0.380, was 0.407, which is more than its spread of 0.010',
      'fell: player.cpu_share_of_static: 0.710, was 0.800, which is more than its spread of 0.080',
    ]);
    assert.match(stdout, /^deliveries\.one_webhook\.share_of_raw .* fell$/m);
  });

  it('names each ratio of CPU time, and each relative to a bare Fastify route, that fell', () => {
    const { one_webhook, hundred_webhooks } = results().deliveries;
    const { ratios } = compareHere(
      results(),
      results({
        deliveries: { one_webhook: { ...one_webhook, cpu_share_of_raw: 0.44 }, hundred_webhooks },
        events: { events: { published: besideFastify(0.37) } },
        // Lower by less than its spread.
        tokens: besideFastify(0.29),
      }),
    );
    assert.deepEqual(
      ratios.flatMap(({ name, hasFallen }) => (hasFallen ? [name] : [])),
      ['deliveries.one_webhook.cpu_share_of_raw', 'events.events.published.share_of_fastify'],
    );
    assert.ok(ratios.some(({ name }) => name === 'tokens.cpu_share_of_fastify'));
  });

  it('compares with a run that did not measure requests to the API relative to a bare Fastify route', () => {
    const { events: _events, tokens: _tokens, ...earlier } = results();
    const { ratios } = compareHere(earlier, results());
    assert.ok(ratios.length > 0 && ratios.every(({ hasFallen }) => !hasFallen));
  });

  it('says which ratios are missing, and how the runs differ', () => {
    const compared = compareHere(
      results(),
      results({
        player: null,
        machine: { cpu: 'b', cores: 4 },
        plan: { name: 'quick' },
      }),
    );
    assert.deepEqual(
      compared.ratios.filter(({ hasFallen }) => hasFallen),
      [],
    );
    const stdout = renderComparison(compared);
    assert.match(stdout, /^The machine of the two runs differs/m);
    assert.match(stdout, /^The plan of the two runs differs/m);
    assert.match(stdout, /^not measured now: player\.share_of_static$/m);
  });

  for (const [what, earlier, later, said] of [
    [
      'runs on different databases',
      results(),
      results({ database: { name: 'postgres' } }),
      /database was sqlite/,
    ],
    [
      'runs without a common ratio',
      results(),
      results({ deliveries: {}, events: {}, tokens: null, player: null }),
      /no ratio in common/,
    ],
    ['a file that is not JSON', '{', results(), /earlier\.json is not JSON/],
    ['a file with something else', { deliveries: {} }, results(), /it lacks machine, database, queue, plan/],
  ] as const)
    it(`refuses ${what}`, () => {
      assert.throws(
        () => compareHere(earlier, later),
        (error) => error instanceof UsageError && said.test(error.message),
      );
    });

  it('refuses a file that does not exist, before it measures anything', () => {
    const { status, stderr } = bench('--compare', '/nowhere/results.json');
    assert.equal(status, EXIT_USAGE, stderr);
    assert.match(stderr, /^there is no file \/nowhere\/results\.json\n\nUsage: /);
    const alone = bench('--read', '/nowhere/results.json');
    assert.equal(alone.status, EXIT_USAGE, alone.stderr);
    assert.match(alone.stderr, /^there is no file \/nowhere\/results\.json\n/);
  });
});
