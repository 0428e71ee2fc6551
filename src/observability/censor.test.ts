import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { censor, censorText } from './censor.ts';

const CENSORED = '[censored]';

const plain = (value: unknown) => censor(value, { stack: false });

describe('censoring log values', () => {
  it('replaces members that hold a credential, however deep and however they are spelled', () => {
    const names = [
      'authorization',
      'Authorization',
      'client_secret',
      'clientSecret',
      'access_token',
      'refresh-token',
      'secret',
      'password',
      'Set-Cookie',
      'webhooks_auth_secret',
    ];
    for (const name of names) {
      assert.deepEqual(plain({ a: [{ [name]: 'hunter2', kept: 1 }] }), {
        a: [{ [name]: CENSORED, kept: 1 }],
      });
    }
  });

  it('shows that a credential is absent', () => {
    assert.deepEqual(plain({ secret: null, password: false }), { secret: null, password: false });
  });

  it('replaces credentials in text', () => {
    const basic = `Basic ${Buffer.from('key:hunter2').toString('base64')}`;
    assert.equal(censorText(`sent ${basic}, refused`), `sent Basic ${CENSORED}, refused`);
    assert.equal(censorText('Bearer abcdef0123456789'), `Bearer ${CENSORED}`);
    assert.equal(censorText('a=1&client_secret=hunter2&b=2'), `a=1&client_secret=${CENSORED}&b=2`);
    assert.equal(censorText('{"secret": "hun\\"ter2", "b": 1}'), `{"secret":"${CENSORED}", "b": 1}`);
    assert.equal(censorText('{"password":"cut sho'), `{"password":"${CENSORED}"`);
  });

  it('keeps ordinary text readable', () => {
    for (const text of ['Basic Training', 'The secret of success', 'Token endpoint', 'Bearer plants']) {
      assert.equal(censorText(text), text);
    }
  });

  it('writes an error as type, message, code and causes, its stack only when asked', () => {
    const error = new TypeError('failed with password=hunter2', {
      cause: Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }),
    });
    assert.deepEqual(plain({ error }), {
      error: {
        type: 'TypeError',
        message: `failed with password=${CENSORED}`,
        cause: { type: 'Error', message: 'connection refused', code: 'ECONNREFUSED' },
      },
    });
    const withStack = JSON.stringify(censor({ error }, { stack: true }));
    assert.match(withStack, /"stack":"TypeError: .*censor\.test\.ts/);
    assert.doesNotMatch(withStack, /hunter2/);
  });

  it('writes the errors of an error that has several', () => {
    const error = new AggregateError([new Error('first'), new Error('second')], '');
    assert.deepEqual(plain(error), {
      type: 'AggregateError',
      message: '',
      errors: [
        { type: 'Error', message: 'first' },
        { type: 'Error', message: 'second' },
      ],
    });
  });

  it('converts everything to valid JSON', () => {
    class Connection {
      key = 'hunter2';
    }
    assert.deepEqual(
      plain({
        big: 10n,
        when: new Date(0),
        url: new URL('http://a.example/?secret=hunter2'),
        inside: new Connection(),
        bytes: Buffer.from('hunter2'),
        act: () => 1,
      }),
      {
        big: '10',
        when: '1970-01-01T00:00:00.000Z',
        url: `http://a.example/?secret=${CENSORED}`,
        inside: '[Connection]',
        bytes: '[Buffer]',
        act: '[function]',
      },
    );
  });

  it('ends for cycles, deep nesting and circular causes of errors', () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    circle.twice = [circle, circle];
    assert.match(JSON.stringify(plain(circle)), /\[omitted\]/);

    assert.match(JSON.stringify(plain(JSON.parse('['.repeat(5000) + ']'.repeat(5000)))), /\[omitted\]/);

    const error = new Error('around');
    error.cause = error;
    assert.equal(JSON.stringify(plain(error)).match(/around/g)?.length, 6);
  });

  it('does not mistake a member named __proto__ for a prototype', () => {
    const copy = plain(JSON.parse('{"__proto__": {"secret": "hunter2"}}'));
    assert.equal(JSON.stringify(copy), `{"__proto__":{"secret":"${CENSORED}"}}`);
  });
});
