import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { startTestService, temporaryFolder, until } from '../test/support/service.ts';
import { startTarget } from '../test/support/target.ts';
import { answer } from '../test/support/target-behaviours.ts';

/**
 * Tests the dashboard and the alert rules with the real programs. promtool checks the rules and runs their test cases.
 * Then Prometheus scrapes a service whose target fails and is repaired later. An alert must fire and be resolved, and
 * every expression of the dashboard must have a result. Needs `prometheus` and `promtool` (Debian: `prometheus`).
 */

const FOLDER = path.join(import.meta.dirname, '../deploy/monitoring');
const RULES = path.join(FOLDER, 'prometheus-rules.yaml');
/** Here, alerts fire after two seconds instead of minutes. */
const QUICK = 'for: 2s';
const TOKEN = 'monitoring-token-of-the-trial';
const ALERT = 'CoursewireWebhooksBlocked';

execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'inherit' });
execFileSync('promtool', ['test', 'rules', path.join(FOLDER, 'alerts.test.yaml')], { stdio: 'inherit' });
await tryPrometheus();

async function tryPrometheus(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget({ respondWith: answer(503) }));
  const service = stack.use(await startTestService({ settings: { monitoring_token: TOKEN } }));
  const folder = stack.use(temporaryFolder()).path;
  const prometheus = stack.use(await startPrometheus(folder, new URL(service.url).host));
  await service.api.create('/webhooks', {
    name: 'Accounts',
    topic: 'ACCOUNT',
    target_url: target.url,
    max_attempts: 1_000,
  });
  await service.api.create('/accounts', { name: 'Northwind' });

  await until(async () => (await prometheus.firing()).includes(ALERT), `the alert ${ALERT}`);
  console.log(`${ALERT} fires while a target fails`);
  assert.ok(!(await prometheus.firing()).includes('CoursewireInstanceDown'));
  target.respondWith(answer(200));
  await until(async () => !(await prometheus.firing()).includes(ALERT), `the end of ${ALERT}`);
  console.log(`${ALERT} is resolved once the target is repaired`);

  const expressions = dashboardExpressions();
  for (const expr of expressions) await prometheus.query(expr);
  const counted = await prometheus.query(
    'sum(increase(coursewire_delivery_attempts_total{outcome="success"}[1m]))',
  );
  assert.ok(counted > 0, 'the first delivery is not an increase');
  console.log(`Prometheus evaluates all ${expressions.length} expressions of the dashboard`);

  await service.stop();
  await until(async () => (await prometheus.firing()).includes('CoursewireInstanceDown'), 'that it is down');
  console.log('CoursewireInstanceDown fires once the service is stopped');
}

function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(path.join(FOLDER, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll(/\$__(?:rate_interval|range|interval)/g, '1m')
        .replaceAll(/\$(?:job|instance)\b/g, '.*'),
    ),
  );
}

interface Prometheus extends AsyncDisposable {
  /** The alerts that are firing. */
  firing(): Promise<string[]>;
  /** The first number of the result. @throws if Prometheus rejects the expression, or the result is empty */
  query(expr: string): Promise<number>;
}

async function startPrometheus(folder: string, serviceHost: string): Promise<Prometheus> {
  const rules = readFileSync(RULES, 'utf8').replaceAll(/for: \d+m/g, QUICK);
  writeFileSync(path.join(folder, 'rules.yaml'), rules);
  writeFileSync(
    path.join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [
        {
          job_name: 'coursewire',
          authorization: { credentials: TOKEN },
          static_configs: [{ targets: [serviceHost] }],
        },
      ],
    }),
  );
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${path.join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  const get = async (pathAndQuery: string) => {
    const response = await fetch(`http://${address}/api/v1/${pathAndQuery}`);
    // biome-ignore lint/suspicious/noExplicitAny: responses of Prometheus.
    return (await response.json()) as any;
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error('Prometheus ended');
    return (await get('status/buildinfo').catch(() => null)) !== null;
  }, 'the start of Prometheus');
  return {
    async firing() {
      const { data } = await get('alerts');
      return data.alerts
        .filter(({ state }: { state: string }) => state === 'firing')
        .map(({ labels }: { labels: { alertname: string } }) => labels.alertname);
    },
    async query(expr) {
      const answer = await get(`query?query=${encodeURIComponent(expr)}`);
      assert.equal(answer.status, 'success', `${expr}: ${answer.error}`);
      assert.ok(answer.data.result.length > 0, `no result: ${expr}`);
      return Number(answer.data.result[0].value[1]);
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
