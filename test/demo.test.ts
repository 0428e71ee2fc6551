import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
// biome-ignore lint/correctness/useImportExtensions: it takes the declarations beside the module for the module.
import { type ReceiverOptions, Refusal, startReceiver } from '../examples/receiver/receiver.mjs';
import { SUBTOPICS } from '../src/events/catalogue.ts';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { BROWSER_VARIABLE } from './ui/support/chromium.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** When, target, subtopic, attempt and answer of a postback. */
const POSTBACK = /^ {2}← \d\d:\d\d:\d\d\.\d{3} {2}(\S+(?: \S+)?) +([A-Z_]+) +(\d+) {2}(\d+)/gm;

interface Run extends AsyncDisposable {
  child: ChildProcess;
  /** What it has written so far. */
  output: { stdout: string; stderr: string };
  /** What it has left in the folder for temporary ones. */
  left(): string[];
  /** Its exit code once it has ended. */
  ended(): Promise<number | null>;
}

/** Runs a command with a folder of its own for temporary files; it is stopped when disposed of. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const folder = temporaryFolder();
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env, TMPDIR: folder.path } });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const closed = once(child, 'close', { signal: AbortSignal.timeout(TEST_TIMEOUT_MS) });
  closed.catch(() => {});
  return {
    child,
    output,
    left: () => readdirSync(folder.path).filter((name) => name.startsWith('coursewire-')),
    ended: async () => ((await closed) as [number | null])[0],
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      folder[Symbol.dispose]();
    },
  };
}

/** Runs the demo on any free port. */
function runDemo(...args: string[]): Run {
  return run(process.execPath, ['demo/main.ts', '--port', '0', ...args]);
}

/** The same where no browser starts. */
function runDemoWithoutBrowser(...args: string[]): Run {
  const env = { [BROWSER_VARIABLE]: '/nowhere/chromium' };
  return run(process.execPath, ['demo/main.ts', '--port', '0', ...args], env);
}

/** Subtopic, attempt and answer of each postback that was shown for a target. */
function postbacksOf(target: string, stdout: string): string[] {
  return [...stdout.matchAll(POSTBACK)]
    .filter(([, name]) => name === target)
    .map(([, , subtopic, attempt, status]) => `${subtopic} ${attempt} ${status}`);
}

describe('the demo', { concurrency: true }, () => {
  it('shows every event, retry and dead letter in order, and exits with 0 if all arrived', async () => {
    await using demo = run('npm', ['run', '--silent', 'demo', '--', '--exit', '--port', '0']);

    assert.equal(await demo.ended(), 0, demo.output.stdout + demo.output.stderr);
    const { stdout } = demo.output;
    assert.deepEqual(postbacksOf('CRM', stdout), [
      'ACCOUNT_CREATED 1 204',
      'ACCOUNT_ACTIVATION_UPDATED 1 204',
      'ACCOUNT_ACTIVATION_UPDATED 1 204',
      'ACCOUNT_DELETED 1 204',
    ]);
    assert.deepEqual(postbacksOf('Catalogue', stdout), [
      'COURSE_IMPORTED 1 204',
      'COURSE_VERSION_UPLOADED 1 204',
      'COURSE_VERSION_PUBLISHED 1 204',
    ]);
    assert.deepEqual(postbacksOf('Search', stdout), [
      'COURSE_IMPORTED 1 503',
      'COURSE_IMPORTED 2 503',
      'COURSE_IMPORTED 3 204',
      'COURSE_VERSION_UPLOADED 1 204',
      'COURSE_VERSION_PUBLISHED 1 204',
    ]);
    assert.deepEqual(postbacksOf('Portal', stdout), [
      'CONTENT_ADDED_TO_ACCOUNT 1 204',
      'CONTENT_ADDED_TO_ACCOUNT 1 204',
      'CONTENT_REMOVED_FROM_ACCOUNT 1 204',
    ]);
    assert.deepEqual(postbacksOf('Records', stdout), [
      'REGISTRATION_LAUNCHED 1 204',
      'REGISTRATION_STATUS_UPDATED 1 204',
      'REGISTRATION_STATUS_UPDATED 1 204',
    ]);
    assert.deepEqual(postbacksOf('Old billing', stdout), [
      'ACCOUNT_CREATED 1 503',
      'ACCOUNT_CREATED 2 503',
      'ACCOUNT_CREATED 3 503',
    ]);
    const shown = new Set([...stdout.matchAll(POSTBACK)].map(([, , subtopic]) => subtopic));
    assert.deepEqual([...shown].sort(), [...SUBTOPICS].sort(), 'every event is shown');
    assert.match(stdout, / 204 {5}equivalent Webhooks \(all languages\), Home > Onboarding · Contoso$/m);
    assert.match(stdout, /CONTENT_REMOVED_FROM_ACCOUNT .* bundle First Day, Home > Onboarding · Contoso$/m);
    assert.doesNotMatch(stdout, /CONTENT_.* Northwind/, 'the focus leaves other accounts out');
    assert.match(stdout, /^ {2}launch_url +http:\/\/127\.0\.0\.1:\d+\/launch\/\S+$/m);
    assert.match(stdout, /begins the course, in a headless browser$/m);
    assert.match(stdout, /REGISTRATION_STATUS_UPDATED .* ada: Completed, PASS, score 100 · /);
    assert.match(stdout, /✗ .* Old billing +ACCOUNT_CREATED +dead-letter queue after 3 attempts: 503 /);
    assert.match(stdout, /^ {6}"subscription_id": 1,\n {6}"name": "CRM",\n {6}"topic": "ACCOUNT",$/m);
    assert.match(
      stdout,
      /^ {2}Old billing +0 +3 +yes +1 +Request to postback URL '.*' failed for reason: 503 /m,
    );
    assert.match(stdout, /✓ All as it should be/);
    assert.ok(!stdout.includes('\u001b'), 'no colours where there is no terminal');
    assert.deepEqual(demo.left(), []);
  });

  it('plays the courses over HTTP if no browser starts, and stops when it is interrupted then', async () => {
    await using demo = runDemoWithoutBrowser('--exit');
    await until(
      () => /begins the course, over the player's HTTP interface$/m.test(demo.output.stdout),
      'the learner begins',
      TEST_TIMEOUT_MS,
    );
    assert.match(demo.output.stdout, /None starts here \(.*\/nowhere\/chromium.*\), so the learner uses/);
    demo.child.kill('SIGINT');

    assert.equal(await demo.ended(), 130, demo.output.stderr);
    assert.deepEqual(demo.left(), []);
  });

  it('stops when it is interrupted while its browser is open', async () => {
    await using demo = runDemo('--exit');
    await until(
      () => demo.output.stdout.includes('begins the course, in a headless browser'),
      'the learner begins',
      TEST_TIMEOUT_MS,
    );
    demo.child.kill('SIGINT');

    assert.equal(await demo.ended(), 130, demo.output.stderr);
    assert.deepEqual(demo.left(), []);
  });

  it('exits with 1 and says what is missing if a receiver has another secret', async () => {
    await using demo = runDemoWithoutBrowser('--exit', '--wrong-secret');

    assert.equal(await demo.ended(), 1, demo.output.stdout);
    assert.match(demo.output.stdout, /← .* CRM +\(not read\) +1 {2}401 /);
    assert.match(
      demo.output.stderr,
      /✗ CRM rejected the credentials of its webhook\.\n {2}CRM: missing is ACCOUNT_CREATED/,
    );
    assert.equal(demo.left().length, 1, 'the log stays');
  });

  it('without --exit, shows the same over HTTP and runs until a signal, even one that npm repeats', async () => {
    await using demo = runDemo();
    await until(
      () => demo.output.stdout.includes('Press Ctrl-C to stop'),
      'the demo stays up',
      TEST_TIMEOUT_MS,
    );
    const { stdout } = demo.output;
    assert.match(stdout, /begins the course, over the player's HTTP interface$/m);
    assert.deepEqual(
      [...stdout.matchAll(/REGISTRATION_STATUS_UPDATED .* ada: (.*?) · /g)].map(([, status]) => status),
      ['Incomplete, UNKNOWN', 'Completed, PASS, score 100'],
    );
    const url = /API reference +(\S+)\/docs/.exec(stdout)?.[1];
    assert.equal((await fetch(`${url}/docs/`)).status, 200);
    const [, link = ''] = /admin UI +(\S+)/.exec(stdout) ?? [];
    assert.ok(link.startsWith(`${url}/ui/setup#`), link);

    demo.child.kill('SIGINT');
    await until(() => demo.output.stdout.includes('Stopping'), 'it has noticed');
    demo.child.kill('SIGINT');

    assert.equal(await demo.ended(), 0, demo.output.stderr);
    await assert.rejects(fetch(`${url}/health/ready`));
    assert.deepEqual(demo.left(), []);
  });

  it('says why the service does not start', async () => {
    await using occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    await using demo = runDemo('--exit', '--port', String(port));

    assert.equal(await demo.ended(), 1);
    assert.match(demo.output.stderr, /✗ the service ended by itself, with exit code 1\n/);
    assert.match(demo.output.stderr, /EADDRINUSE/);
  });

  it('rejects unknown options', async () => {
    await using demo = runDemo('--quick');
    assert.equal(await demo.ended(), 2);
    assert.match(demo.output.stderr, /'--quick'/);
  });
});

/** A receiver that notes what it is given to keep; `keep` may throw. */
async function startTestReceiver(
  keep: (id: string) => void | Promise<void> = () => {},
  onTest?: ReceiverOptions['onTest'],
) {
  const kept: { id: string; message: unknown }[] = [];
  const receiver = await startReceiver({
    key: 'crm',
    secret: 'sesame: öffne dich',
    onMessage: async (message, { id }) => {
      await keep(id);
      kept.push({ id, message });
    },
    onTest,
  });
  const send = async (
    id: string,
    body = '{"subtopic":"ACCOUNT_CREATED"}',
    secret = 'sesame: öffne dich',
    further: Record<string, string> = {},
  ) => {
    const basic = Buffer.from(`crm:${secret}`).toString('base64');
    const headers = { authorization: `Basic ${basic}`, 'webhook-id': id, ...further };
    return await fetch(receiver.url, { method: 'POST', headers, body });
  };
  return { kept, send, url: receiver.url, [Symbol.asyncDispose]: () => receiver.close() };
}

describe('the example receiver', () => {
  it('accepts a message with the right credentials', async () => {
    await using receiver = await startTestReceiver();
    assert.equal((await receiver.send('m1')).status, 204);
    assert.deepEqual(receiver.kept, [{ id: 'm1', message: { subtopic: 'ACCOUNT_CREATED' } }]);
  });

  it('accepts nothing with wrong or missing credentials', async () => {
    await using receiver = await startTestReceiver();
    const answers = [
      await receiver.send('m1', '{}', 'sesame'),
      await receiver.send('m1', '{}', ''),
      await fetch(receiver.url, { method: 'POST', headers: { 'webhook-id': 'm1' }, body: '{}' }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('www-authenticate')]),
      answers.map(() => [401, 'Basic realm="webhooks"']),
    );
    assert.deepEqual(receiver.kept, []);
  });

  it('keeps a test message away from those that it stores', async () => {
    const tests: string[] = [];
    for (const onTest of [undefined, (_: unknown, { id }: { id: string }) => void tests.push(id)]) {
      await using receiver = await startTestReceiver(undefined, onTest);
      assert.equal((await receiver.send('t1', undefined, undefined, { 'webhook-test': 'true' })).status, 204);
      assert.equal((await receiver.send('m1')).status, 204);
      assert.deepEqual(
        receiver.kept.map(({ id }) => id),
        ['m1'],
      );
    }
    assert.deepEqual(tests, ['t1']);
  });

  it('stores a repeated message once, even if it arrives again while it is being stored', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await using receiver = await startTestReceiver(async () => {
      begun.resolve();
      await gate.promise;
    });
    const first = receiver.send('m1');
    await begun.promise;
    const second = receiver.send('m1');
    gate.resolve();
    const answers = [await first, await second, await receiver.send('m1')];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204, 204],
    );
    assert.equal(receiver.kept.length, 1);
  });

  it('receives a message again if it could not store it', async () => {
    const failures = [new Error('the disk is full'), new Refusal(503, 'Closed for maintenance')];
    await using receiver = await startTestReceiver(() => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    });
    const answers = [await receiver.send('m1'), await receiver.send('m1'), await receiver.send('m1')];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 503, 204],
    );
    assert.doesNotMatch(await answers[0]!.text(), /disk/, 'what failed within is nobody’s business');
    assert.deepEqual(
      receiver.kept.map(({ id }) => id),
      ['m1'],
    );
  });

  it('rejects bodies that are too large, are not JSON, or have no id', async () => {
    await using receiver = await startTestReceiver();
    const statuses = [
      (await receiver.send('m1', `"${'x'.repeat(1024 * 1024)}"`)).status,
      (await receiver.send('m2', '{')).status,
      (await receiver.send('')).status,
      (await fetch(receiver.url)).status,
    ];
    assert.deepEqual(statuses, [413, 400, 400, 405]);
    assert.deepEqual(receiver.kept, []);
  });

  it('prints what it receives when it runs by itself', async () => {
    const args = ['examples/receiver/receiver.mjs', '--port', '0', '--key', 'crm', '--secret', 's'];
    await using alone = run(process.execPath, args);
    const url = await until(() => /Receiving at (\S+)/.exec(alone.output.stdout)?.[1], 'it listens');

    const headers = {
      authorization: `Basic ${Buffer.from('crm:s').toString('base64')}`,
      'webhook-id': 'm1',
    };
    const body = JSON.stringify({
      subtopic: 'ACCOUNT_DELETED',
      name: 'CRM',
      resource: { account: { id: 7 } },
    });
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204);

    await until(() => alone.output.stdout.includes('"id": 7'), 'the resource is printed');
    assert.match(alone.output.stdout, /"ACCOUNT_DELETED" for "CRM" {2}m1/);
  });
});
