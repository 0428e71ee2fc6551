import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isReport } from '../../web/player/src/report.ts';
import { type Fate, fateOf } from '../../web/player/src/report-fate.ts';
import { Reports } from '../../web/player/src/reports.ts';

const AICC = 'aicc';
const STATEMENTS = 'xapi/statements';
const BOOKMARK = 'xapi/activities/state?stateId=bookmark';

const urlOf = (path: string) => new URL(`http://content/token/${path}`);
const message = (command: string, data = '') => `command=${command}&session_id=s&aicc_data=${data}`;
const statements = (...ids: string[]) => JSON.stringify(ids.map((id) => ({ id, verb: {} })));

/** Reports these one after the other, and returns the doubt about all of them. */
function doubtAfter(...sent: [fate: Fate, path: string, body?: string | Blob, method?: string][]) {
  const reports = new Reports();
  for (const [fate, path, body = '', method = 'POST'] of sent) {
    reports.begin({ method, url: urlOf(path), body })(fate);
  }
  return reports.doubt;
}

describe('the doubt about a report that failed', () => {
  it('ends with the same statement, and with no other', () => {
    assert.equal(
      doubtAfter(['lost', STATEMENTS, statements('a')], ['arrived', STATEMENTS, statements('b')]),
      'lost',
    );
    assert.equal(
      doubtAfter(['lost', STATEMENTS, statements('a')], ['arrived', STATEMENTS, statements('b', 'A')]),
      null,
    );
    assert.equal(
      doubtAfter(
        ['lost', STATEMENTS, statements('a')],
        ['arrived', `${STATEMENTS}?statementId=a`, '{}', 'PUT'],
      ),
      null,
    );
    const withoutId = JSON.stringify({ verb: { id: 'completed' } });
    assert.equal(doubtAfter(['lost', STATEMENTS, withoutId], ['arrived', STATEMENTS, withoutId]), null);
  });

  it('ends with the next version of the same document', () => {
    assert.equal(
      doubtAfter(['lost', BOOKMARK, 'page 1', 'PUT'], ['arrived', BOOKMARK, 'page 2', 'PUT']),
      null,
    );
    assert.equal(
      doubtAfter(['lost', BOOKMARK, 'page 1', 'PUT'], ['arrived', `${BOOKMARK}2`, '', 'PUT']),
      'lost',
    );
  });

  it('ends with the next AICC message of its command, unless that adds to the one before', () => {
    const core = (data: string) => message('PutParam', `[Core]${data}`);
    assert.equal(doubtAfter(['lost', AICC, core('1')], ['arrived', AICC, core('2')]), null);
    assert.equal(doubtAfter(['lost', AICC, core('1')], ['arrived', AICC, message('ExitAU')]), 'lost');
    const group = (name: string) => message('PutParam', `[Core]%0D%0ALesson_Status=P%0D%0A[${name}]%0D%0Ax`);
    assert.equal(
      doubtAfter(
        ['lost', AICC, group('Comments')],
        ['arrived', AICC, message('PutParam', '[Core_Lesson]%0D%0Ax')],
      ),
      'lost',
      'the service keeps what a message omits',
    );
    assert.equal(doubtAfter(['lost', AICC, group('Comments')], ['arrived', AICC, group('Comments')]), null);
    const answer = (data: string) => message('PutInteractions', data);
    assert.equal(doubtAfter(['lost', AICC, answer('1')], ['arrived', AICC, answer('2')]), 'lost');
    assert.equal(doubtAfter(['lost', AICC, message('GetParam')]), null, 'it only reads');
  });

  it('ends with a document that replaces what it should have added, and with the same members', () => {
    const added = (members: object): [string, string, string] => [BOOKMARK, JSON.stringify(members), 'POST'];
    assert.equal(doubtAfter(['lost', ...added({ a: 1 })], ['arrived', ...added({ b: 1 })]), 'lost');
    assert.equal(doubtAfter(['lost', ...added({ a: 1 })], ['arrived', ...added({ a: 2, b: 1 })]), null);
    assert.equal(doubtAfter(['lost', ...added({ a: 1 })], ['arrived', BOOKMARK, 'all', 'PUT']), null);
  });

  it('does not arise if a later report about the same arrived before the failure was known', () => {
    const reports = new Reports();
    const put = (body: string) => reports.begin({ method: 'PUT', url: urlOf(BOOKMARK), body });
    const [first, second, third] = [put('1'), put('2'), put('3')];
    second('arrived');
    first('lost');
    assert.equal(reports.doubt, null);
    third('lost');
    assert.equal(reports.doubt, 'lost');
  });

  it('does not end with a report whose fate is never known', () => {
    const reports = new Reports();
    const put = (body: string) => reports.begin({ method: 'PUT', url: urlOf(BOOKMARK), body });
    put('1')('lost');
    put('2')(null);
    assert.equal(reports.doubt, 'lost');
  });

  it('does not end if its content cannot be read', () => {
    const blob = () => new Blob(['x']);
    assert.equal(doubtAfter(['lost', STATEMENTS, blob()], ['arrived', STATEMENTS, blob()]), 'lost');
  });

  it('does not arise if the service refuses one statement that it knows already', () => {
    assert.equal(doubtAfter(['repeated', STATEMENTS, statements('a')]), null);
    assert.equal(
      doubtAfter(['repeated', STATEMENTS, statements('a', 'b')]),
      'refused',
      'none of them was stored',
    );
  });

  it('does not arise if the unit ends a session once more that has ended', () => {
    const said = (verb: string) => JSON.stringify({ verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` } });
    assert.equal(doubtAfter(['ended', STATEMENTS, said('terminated')]), null);
    assert.equal(doubtAfter(['ended', STATEMENTS, said('exited')]), null);
    assert.equal(doubtAfter(['ended', STATEMENTS, `[${said('exited')},${said('terminated')}]`]), null);
    assert.equal(doubtAfter(['ended', STATEMENTS, `[${said('answered')},${said('terminated')}]`]), 'refused');
    assert.equal(doubtAfter(['ended', STATEMENTS, said('answered')]), 'refused');
    assert.equal(doubtAfter(['ended', BOOKMARK, 'page 3', 'PUT']), 'refused');
  });

  it('remains that it is lost, even if the service has refused another one', () => {
    assert.equal(doubtAfter(['refused', STATEMENTS, statements('a')]), 'refused');
    assert.equal(doubtAfter(['lost', BOOKMARK], ['refused', STATEMENTS, statements('a')]), 'lost');
  });

  it('belongs to the unit that sent it', async () => {
    const reports = new Reports();
    const [first, second] = ['a', 'b'].map((id) =>
      reports.begin({ method: 'POST', url: urlOf(STATEMENTS), body: statements(id) }),
    );
    first?.('lost');
    assert.equal(reports.isPending, true);
    assert.equal(reports.take(), 'lost');
    assert.equal(reports.isPending, false);
    second?.('lost');
    assert.equal(reports.doubt, null);
  });

  it('ends if it arrives after all', () => {
    const reports = new Reports();
    const settle = reports.begin({ method: 'POST', url: urlOf(STATEMENTS), body: statements('a') });
    settle('lost');
    settle('arrived');
    assert.equal(reports.doubt, null);
  });

  it('does not arise if the browser was only leaving its page', () => {
    const reports = new Reports();
    const settle = reports.begin({ method: 'POST', url: urlOf(STATEMENTS), body: statements('a') });
    settle('lost');
    settle(null);
    assert.deepEqual([reports.isPending, reports.doubt], [false, null]);
  });
});

describe('a request', () => {
  for (const [what, method, path, reports] of [
    ['that stores', 'PUT', BOOKMARK, true],
    ['that only reads', 'get', BOOKMARK, false],
    ['with a form that stores', 'POST', `${STATEMENTS}?method=PUT`, true],
    ['with a form that only reads', 'POST', `${STATEMENTS}?method=get`, false],
    ['with a message of AICC', 'POST', `${AICC}?method=GET`, true],
    ['for a file', 'POST', 'content/page.html', false],
  ] as const) {
    it(`${what} reports ${reports ? 'something' : 'nothing'}`, () => {
      assert.equal(isReport(method, urlOf(path)), reports);
    });
  }
});

describe('the fate of a report', () => {
  const OF_STORE = { 'x-experience-api-version': '1.0.3' };
  const PROBLEM = { 'content-type': 'application/problem+json' };
  const PAGE = { 'content-type': 'text/html' };
  const repeated = JSON.stringify({ reason: 'repeated' });
  const table: [
    what: string,
    path: string,
    status: number,
    headers: Record<string, string>,
    text: string,
    Fate,
  ][] = [
    ['it was stored', STATEMENTS, 200, OF_STORE, '[]', 'arrived'],
    ['it was stored, without content', BOOKMARK, 204, OF_STORE, '', 'arrived'],
    ['it was stored, by AICC', AICC, 200, {}, 'error=0\r\nerror_text=Successful', 'arrived'],
    ['AICC reports an error', AICC, 200, {}, 'error=3\r\nerror_text=Invalid Session ID', 'refused'],
    ['something else responds to AICC', AICC, 200, PAGE, '<html>error=0', 'lost'],
    ['something else responds', STATEMENTS, 200, PAGE, '<html>', 'lost'],
    ['something else responds without content', STATEMENTS, 204, {}, '', 'lost'],
    ['there is no response', STATEMENTS, 0, {}, '', 'lost'],
    ['it is invalid', STATEMENTS, 400, PROBLEM, '{}', 'refused'],
    ['it is not allowed', STATEMENTS, 403, PROBLEM, '{}', 'refused'],
    ['it says what is known', STATEMENTS, 403, PROBLEM, repeated, 'repeated'],
    ['its session has ended', STATEMENTS, 403, PROBLEM, '{ "reason": "session-ended" }', 'ended'],
    ['it contradicts another one', STATEMENTS, 409, PROBLEM, '{}', 'refused'],
    ['its condition is not met', BOOKMARK, 412, PROBLEM, '{}', 'arrived'],
    ['it is too large', AICC, 413, PROBLEM, '{}', 'refused'],
    ['a proxy thinks that it is too large', AICC, 413, PAGE, '', 'lost'],
    ['there are too many', STATEMENTS, 429, PROBLEM, '{}', 'lost'],
    ['the service cannot write', STATEMENTS, 503, PROBLEM, '{}', 'lost'],
  ];
  for (const [what, path, status, headers, text, fate] of table) {
    it(`is ${fate} if ${what}`, () => {
      const header = (name: string) => headers[name] ?? null;
      assert.equal(fateOf(urlOf(path), { status, header, text }), fate);
    });
  }
});
