import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { SUBTOPICS } from '../src/events/catalogue.ts';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import { listenOnFreePort } from './support/free-port.ts';
import { type Run, startCommand } from './support/started-command.ts';
import { until } from './support/until.ts';
import { BROWSER_VARIABLE } from './ui/support/chromium.ts';

/** Time, target, subtopic, attempt and response of a postback. */
const POSTBACK = /^ {2}← \d\d:\d\d:\d\d\.\d{3} {2}(\S+(?: \S+)?) +([A-Z_]+) +(\d+) {2}(\d+)/gm;

/** Runs the demo on any free port. */
function runDemo(...args: string[]): Run {
  return startCommand(process.execPath, ['demo/main.ts', '--port', '0', ...args]);
}

/** Runs the demo on a machine on which no browser starts. */
function runDemoWithoutBrowser(...args: string[]): Run {
  const env = { [BROWSER_VARIABLE]: '/nowhere/chromium' };
  return startCommand(process.execPath, ['demo/main.ts', '--port', '0', ...args], env);
}

/** Subtopic, attempt and response of each postback that was shown for a target. */
function postbacksOf(target: string, stdout: string): string[] {
  return [...stdout.matchAll(POSTBACK)]
    .filter(([, name]) => name === target)
    .map(([, , subtopic, attempt, status]) => `${subtopic} ${attempt} ${status}`);
}

describe('the demo', { concurrency: true }, () => {
  it('shows every event, retry and dead letter in order, and exits with 0 if all arrived', async () => {
    await using demo = startCommand('npm', ['run', '--silent', 'demo', '--', '--exit', '--port', '0']);

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
    await using occupant = createServer();
    const port = await listenOnFreePort(occupant);
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
