import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SUBTOPICS, TOPICS, topicOf } from '../../events/catalogue.ts';
import { createLogs } from '../../observability/log.ts';
import type { LogLevel } from '../../settings/log-level.ts';
import { LOGGING_MODES, type LoggingMode } from '../configuration/logging-mode.ts';
import { DeliveryLog, type LoggedAttempt } from './delivery-log.ts';
import type { StatusReason } from './delivery-status.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const NEXT = Date.UTC(2026, 0, 2, 3, 4, 15);
const URL = 'https://target.example/hook?code=hunter2';
const MESSAGE = {
  subscription_id: 12,
  subtopic: 'COURSE_IMPORTED',
  resource: { content: { course: { id: 7, name: 'Basic Training', location: 'Home > Bearings' } } },
};

interface Line {
  readonly [field: string]: unknown;
}

interface Levels {
  readonly level?: LogLevel;
  readonly customLevels?: Record<string, LogLevel>;
}

/** The part of the target's URL that must not be logged. */
const TOKEN = 'hunter2';

/** The lines that `act` makes a delivery log write. */
function linesOf(levels: Levels, act: (log: DeliveryLog) => void): Line[] {
  const lines: Line[] = [];
  const logs = createLogs({
    level: levels.level ?? 'info',
    customLevels: levels.customLevels ?? {},
    now: () => NOW,
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  act(new DeliveryLog(logs));
  return lines;
}

function success(mode: LoggingMode, changes: Partial<LoggedAttempt> = {}): LoggedAttempt {
  return {
    webhookId: 12,
    mode,
    subtopic: 'COURSE_IMPORTED',
    messageId: 'msg_1',
    attempt: 1,
    succeeded: true,
    status: 200,
    durationMs: 33.6,
    resent: false,
    targetUrl: URL,
    message: JSON.stringify(MESSAGE),
    responseBody: '{"ok":true}',
    reason: null,
    willRetryAt: null,
    deadLettered: false,
    ...changes,
  };
}

function failure(mode: LoggingMode, changes: Partial<LoggedAttempt> = {}): LoggedAttempt {
  return success(mode, {
    attempt: 2,
    succeeded: false,
    status: 503,
    responseBody: 'come back later',
    reason: '503 Service Unavailable',
    willRetryAt: NEXT,
    ...changes,
  });
}

const SUMMARY_OF_SUCCESS = {
  level: 'info',
  time: '2026-01-02T03:04:05.678Z',
  class: 'PostbackDelivery',
  event: 'COURSE_IMPORTED',
  webhook_id: 12,
  message_id: 'msg_1',
  outcome: 'success',
  attempt: 1,
  status: 200,
  duration_ms: 34,
  msg: 'COURSE_IMPORTED delivered to webhook 12: 200 in 34 ms (attempt 1)',
};
const SUMMARY_OF_FAILURE = {
  ...SUMMARY_OF_SUCCESS,
  level: 'warn',
  outcome: 'failure',
  attempt: 2,
  status: 503,
  next_attempt_dt: '2026-01-02T03:04:15.000Z',
  msg:
    'COURSE_IMPORTED not delivered to webhook 12 (attempt 2), next attempt at 2026-01-02T03:04:15.000Z: ' +
    "Request to postback URL 'https://target.example/hook?…' failed for reason: 503 Service Unavailable",
};
const FULL = { target_url: 'https://target.example/hook?…', message: MESSAGE };

/** The lines of each mode at info level, for a success and for a failure. */
const AT_INFO: Record<LoggingMode, { readonly success: Line[]; readonly failure: Line[] }> = {
  NONE: { success: [], failure: [] },
  SUMMARY: { success: [SUMMARY_OF_SUCCESS], failure: [SUMMARY_OF_FAILURE] },
  FULL: {
    success: [{ ...SUMMARY_OF_SUCCESS, ...FULL, response_body: { ok: true } }],
    failure: [{ ...SUMMARY_OF_FAILURE, ...FULL, response_body: 'come back later' }],
  },
  FULLONERROR: {
    success: [SUMMARY_OF_SUCCESS],
    failure: [{ ...SUMMARY_OF_FAILURE, ...FULL, response_body: 'come back later' }],
  },
};

const GENERAL_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const CLASS_LEVELS = [undefined, 'debug', 'info', 'error'] as const;

describe('the log line of an attempt', () => {
  for (const mode of LOGGING_MODES) {
    for (const level of GENERAL_LEVELS) {
      for (const classLevel of CLASS_LEVELS) {
        const effective = level === 'debug' || classLevel === 'debug' ? 'FULL' : mode;
        it(`${mode}, service at ${level}, class ${classLevel ?? 'not set'}: as ${effective} at info`, () => {
          const levels = {
            level,
            customLevels: classLevel === undefined ? {} : { CourseService: classLevel },
          };
          assert.deepEqual(
            linesOf(levels, (log) => log.attempt(success(mode))),
            AT_INFO[effective].success,
          );
          assert.deepEqual(
            linesOf(levels, (log) => log.attempt(failure(mode))),
            AT_INFO[effective].failure,
          );
        });
      }
    }
  }

  it('becomes full only through the class that triggers the event', () => {
    const classes = {
      ACCOUNT: 'AccountService',
      ACCOUNT_CONTENT: 'AccountContentService',
      COURSE: 'CourseService',
      REGISTRATION: 'RegistrationService',
    } as const;
    for (const debugged of TOPICS) {
      const levels = { customLevels: { [classes[debugged]]: 'debug' } as const };
      for (const subtopic of SUBTOPICS) {
        const lines = linesOf(levels, (log) => log.attempt(success('NONE', { subtopic })));
        assert.equal(lines.length, topicOf(subtopic) === debugged ? 1 : 0);
      }
    }
  });

  it('follows the general level for an event that only a later release knows', () => {
    const later = success('NONE', { subtopic: 'COURSE_RETIRED' });
    assert.equal(linesOf({}, (log) => log.attempt(later)).length, 0);
    assert.equal(linesOf({ level: 'debug' }, (log) => log.attempt(later)).length, 1);
  });

  it('is not suppressed by the level of its own class', () => {
    const levels = { customLevels: { PostbackDelivery: 'silent' } } as const;
    assert.equal(linesOf(levels, (log) => log.attempt(success('SUMMARY'))).length, 1);
  });

  it('is an error when the message went to the dead-letter queue', () => {
    const [line] = linesOf({}, (log) =>
      log.attempt(failure('SUMMARY', { attempt: 10, willRetryAt: null, deadLettered: true })),
    );
    assert.equal(line?.level, 'error');
    assert.equal(line?.dead_lettered, true);
    assert.match(
      String(line?.msg),
      /^COURSE_IMPORTED not delivered to webhook 12 \(attempt 10\), moved to the dead-letter queue: Request to /,
    );
  });

  it('shows that a failure was final without a dead letter', () => {
    const [line] = linesOf({}, (log) => log.attempt(failure('SUMMARY', { willRetryAt: null })));
    assert.equal(line?.level, 'warn');
    assert.match(String(line?.msg), /\(attempt 2\), no further attempt: Request to /);
  });

  it('has no response body when there was no answer', () => {
    const [line] = linesOf({}, (log) => log.attempt(failure('FULL', { status: null, responseBody: null })));
    assert.equal(line?.status, null);
    assert.ok(line !== undefined && !('response_body' in line));
  });

  it('contains bodies that are not JSON as text', () => {
    const [line] = linesOf({}, (log) => log.attempt(success('FULL', { message: '{', responseBody: '' })));
    assert.equal(line?.message, '{');
    assert.equal(line?.response_body, '');
  });

  it('never contains a credential that a target sends back', () => {
    const basic = Buffer.from('key:hunter2').toString('base64');
    for (const responseBody of [
      JSON.stringify({ headers: [{ Authorization: `Basic ${basic}` }] }),
      JSON.stringify({ seen: `Basic ${basic}`, access_token: 'hunter2' }),
      `<pre>Authorization: Basic ${basic}</pre>`,
      `{"client_secret":"hunter2","cut":"sh`,
      'grant_type=client_credentials&client_secret=hunter2',
    ]) {
      const text = JSON.stringify(linesOf({}, (log) => log.attempt(failure('FULL', { responseBody }))));
      assert.match(text, /censored/);
      assert.ok(!text.includes('hunter2') && !text.includes(basic), text);
    }
  });

  it('stays one line, whatever a target sends back', () => {
    for (const responseBody of ['a\n{"level":"fatal"}\r\n\u2028', '['.repeat(30_000) + ']'.repeat(30_000)]) {
      assert.equal(linesOf({}, (log) => log.attempt(failure('FULL', { responseBody }))).length, 1);
    }
  });

  it('costs nothing if it is not written: the message is not even read', () => {
    const attempt = Object.defineProperty(success('NONE'), 'message', {
      get: () => assert.fail('the message was read'),
    });
    assert.deepEqual(
      linesOf({}, (log) => log.attempt(attempt)),
      [],
    );
  });
});

describe('the log line of a message that left without an attempt', () => {
  const removed = (mode: LoggingMode, reason: StatusReason) => ({ ...success(mode), reason });

  it('logs a discarded message like a success', () => {
    const of = (mode: LoggingMode) => linesOf({}, (log) => log.discarded(removed(mode, 'WEBHOOK_INACTIVE')));
    const summary = {
      level: 'info',
      time: '2026-01-02T03:04:05.678Z',
      class: 'PostbackDelivery',
      event: 'COURSE_IMPORTED',
      webhook_id: 12,
      message_id: 'msg_1',
      outcome: 'discarded',
      reason: 'WEBHOOK_INACTIVE',
      msg: 'COURSE_IMPORTED for webhook 12 discarded: the webhook is inactive',
    };
    assert.deepEqual(of('NONE'), []);
    assert.deepEqual(of('SUMMARY'), [summary]);
    assert.deepEqual(of('FULLONERROR'), [summary]);
    assert.deepEqual(of('FULL'), [{ ...summary, message: MESSAGE }]);
  });

  it('logs a dead-lettered message like a failure', () => {
    const of = (mode: LoggingMode) => linesOf({}, (log) => log.deadLettered(removed(mode, 'SKIPPED')));
    const summary = {
      level: 'error',
      time: '2026-01-02T03:04:05.678Z',
      class: 'PostbackDelivery',
      event: 'COURSE_IMPORTED',
      webhook_id: 12,
      message_id: 'msg_1',
      outcome: 'failure',
      reason: 'SKIPPED',
      dead_lettered: true,
      msg: 'COURSE_IMPORTED for webhook 12 moved to the dead-letter queue: skipped manually',
    };
    assert.deepEqual(of('NONE'), []);
    assert.deepEqual(of('SUMMARY'), [summary]);
    assert.deepEqual(of('FULLONERROR'), [{ ...summary, message: MESSAGE }]);
    assert.deepEqual(of('FULL'), [{ ...summary, message: MESSAGE }]);
  });
});

describe('a token in the query of a target', () => {
  it('is not logged, neither with the message nor with an answer that echoes it', () => {
    const message = JSON.stringify({ ...MESSAGE, target_url: URL });
    const attempt = success('FULL', { message, responseBody: `{"you sent":${message}}` });
    const lines = linesOf({}, (log) => {
      log.attempt(attempt);
      log.attempt({ ...attempt, responseBody: `no JSON: ${URL}` });
      log.discarded({ ...attempt, reason: 'WEBHOOK_DELETED' });
      log.deadLettered({ ...attempt, reason: 'SKIPPED' });
    });
    assert.equal(lines.length, 4);
    for (const line of lines) {
      assert.ok(!JSON.stringify(line).includes(TOKEN), JSON.stringify(line));
      assert.match(JSON.stringify(line), /target\.example/);
    }
  });

  /** The logged text of an attempt whose response, or status text, contains this text. */
  function shown(targetUrl: string, said: string, mode: LoggingMode = 'FULL'): string {
    const changes = { targetUrl, responseBody: said, reason: `404 ${said}` };
    return JSON.stringify(linesOf({}, (log) => log.attempt(failure(mode, changes))));
  }

  it('is not logged with a status text that quotes the path and query', () => {
    const line = shown(URL, 'Cannot POST /hook?code=hunter2', 'SUMMARY');
    assert.match(line, /failed for reason: 404 Cannot POST \/hook\?…"/);
    assert.ok(!line.includes(TOKEN), line);
  });

  it('is not logged with a status text that was shortened within it', () => {
    const url = `https://target.example/?v=1&sig=${'sEcReT'.repeat(20)}`;
    const line = shown(url, 'POST /?v=1&sig=sEcReTsEc…', 'SUMMARY');
    assert.ok(!line.includes('sEcReT'), line);
  });

  const TOKENS =
    'https://target.example/h?api-version=2016-06-01&empty=&sig=Ab%2Fc%2Bd/e%3D%3D&k=x+y%20z"1&lone+token';
  for (const said of [
    '{"error":"unknown code hunter2"}',
    '"https://target.example/hook%3Fcode%3Dhunter2"',
    '{"query":{"code":"hunter2"}}',
    'hunter2hunter2',
  ])
    it(`is not logged with a response that contains a part of the query: ${said}`, () => {
      const line = shown(URL, said);
      assert.ok(!line.includes(TOKEN), line);
      assert.match(line, /…/);
    });

  for (const [secret, said] of [
    ['Ab', '{"sig":"Ab/c+d/e=="}'],
    ['Ab', '{"sig":"Ab\\/c+d\\/e=="}'],
    ['Ab', 'sig Ab%2Fc%2Bd%2Fe%3D%3D'],
    ['Ab', 'sig Ab%2fc%2bd%2fe%3d%3d'],
    ['Ab', 'sig Ab%2Fc%2Bd/e%3D%3D'],
    ['x y', '{"k":"x y z\\"1"}'],
    ['x y', '<p>x y z&quot;1</p>'],
    ['lone', 'lone token, lone+token, lone%20token'],
  ] as const)
    it(`is not logged in the form ${said}`, () => {
      const line = shown(TOKENS, said);
      assert.ok(!line.includes(secret), line);
    });

  it('leaves names and short values of the query in the text, and other queries', () => {
    const url = 'https://target.example/hook?v=1&format=json&code=hunter2';
    const said = '{"code":"is unknown","format":"json","v":1,"see":"https://docs.example/?p=1"}';
    const [line] = linesOf({}, (log) => log.attempt(failure('FULL', { targetUrl: url, responseBody: said })));
    assert.deepEqual(line?.response_body, JSON.parse(said));
  });

  it('leaves everything in the text if the query is very short, also without its encoding', () => {
    for (const query of ['a=1', '%20%20', '%61%3d%31'])
      assert.match(shown(`https://target.example/hook?${query}`, 'a=1  b'), /"response_body":"a=1 {2}b"/);
  });

  it('leaves the target unchanged if its name is in the query', () => {
    const url = 'https://target.example/hook?for=target.example';
    const [line] = linesOf({}, (log) => log.attempt(failure('FULL', { targetUrl: url })));
    assert.equal(line?.target_url, 'https://target.example/hook?…');
    assert.match(
      String(line?.msg),
      /URL 'https:\/\/target\.example\/hook\?…' failed for reason: 503 Service/,
    );
  });

  it('causes no long search: with very many values, nothing of a long response is logged', () => {
    const values = Array.from({ length: 300 }, (_, n) => `sEcReT${n}`);
    const url = `https://target.example/hook?${values.map((value) => `k=${value}`).join('&')}`;
    const line = shown(url, `unknown ${values[299]}${'.'.repeat(60_000)}`);
    assert.ok(!line.includes('sEcReT') && !line.includes('unknown'), line);
  });

  it('causes no error if the URL is invalid', () => {
    for (const url of ['', '?', 'http://?%', 'x?y=%ff%&z=%2'])
      assert.match(shown(url, 'refused'), /404 refused/);
  });
});
