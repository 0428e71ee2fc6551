import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  MAX_BODY_BYTES,
  type ProblemBody,
  type SmallServer,
  startSmallServer,
} from '../../test/http/small-server.ts';
import type { ProblemError } from '../problems/problem.ts';
import { parseJson } from './json-body.ts';

describe('bodies of requests', () => {
  let server: SmallServer;
  before(async () => {
    server = await startSmallServer();
  });
  after(() => server.stop());

  test('are JSON, whatever parameters the media type has', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;x=y']) {
      const { status, text } = await server.send('POST', '/things', '{"name":"Zoë 🚒"}', type);
      assert.deepEqual([status, JSON.parse(text)], [200, { name: 'Zoë 🚒' }], type);
    }
  });

  test('of another media type, or without one, are rejected with 415', async () => {
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'application/xml',
    ]) {
      const { code, detail } = await server.problemOf('POST', '/things', '{"name":"a"}', type);
      assert.deepEqual(
        [code, detail],
        ['unsupported-media-type', 'The Content-Type of the body must be application/json'],
        type,
      );
    }
    for (const type of ['application/merge-patch+json', 'application/jsonp', 'json', '; charset=utf-8']) {
      assert.equal((await server.problemOf('POST', '/things', '{"name":"a"}', type)).status, 415, type);
    }
    const untyped = await server.exchange(
      'POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 12\r\n\r\n{"name":"a"}',
    );
    assert.match(untyped, /^HTTP\/1\.1 415 /);
  });

  test('that are compressed are rejected with 415', async () => {
    const compressed = gzipSync('{"name":"a"}');
    const response = await fetch(`${server.url}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: compressed,
    });
    assert.equal(response.status, 415);
    assert.match(((await response.json()) as ProblemBody).detail, /Content-Encoding/);
  });

  test('that are empty count as missing, whatever their media type', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      assert.equal((await server.send('POST', '/things/1/touch', '', type)).status, 200, type);
    }
    assert.equal((await server.send('POST', '/things/1/touch')).status, 200);
    for (const body of ['', undefined]) {
      const problem = await server.problemOf('POST', '/things', body);
      assert.equal(problem.code, 'invalid-request');
      assert.deepEqual(problem.errors, [{ pointer: '', detail: 'must be an object' }]);
    }
  });

  test('that are not JSON are rejected with 400', async () => {
    for (const body of [
      '{"name":',
      '{name:"a"}',
      "{'name':'a'}",
      '{"name":"a"}}',
      '\u0000',
      '{"name":"a\u0001"}',
      ' ',
    ]) {
      assert.equal((await server.problemOf('POST', '/things', body)).code, 'malformed-json', body);
    }
  });

  test('in another encoding are rejected with 400, so that no garbled name is stored', async () => {
    const latin1 = Buffer.from('{"name":"M\u00fcller"}', 'latin1');
    const problem = await server.problemOf('POST', '/things', latin1);
    assert.equal(problem.code, 'malformed-json');
    assert.match(problem.detail, /UTF-8/);
    assert.equal(
      (await server.send('POST', '/things', Buffer.from('\ufeff{"name":"a"}'), 'application/json')).status,
      200,
    );
  });

  test('with half of a character are rejected with 400, and the error names the member', async () => {
    const problem = await server.problemOf(
      'POST',
      '/things',
      '{"name":"a\\uD83D","note":[{"x":"\\ude00\\ud83d"},"\\ud83d\\ude00"]}',
    );
    assert.equal(problem.code, 'invalid-request');
    assert.deepEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ['/name', '/note/0/x'],
    );
    assert.equal(
      (await server.send('POST', '/things', '{"name":"\\ud83d\\ude92"}', 'application/json')).status,
      200,
    );
  });

  test('that try to change a prototype are rejected with 400 and change nothing', async () => {
    const attempts = {
      '{"__proto__":{"polluted":1},"name":"a"}': ['/__proto__'],
      '{"name":"a","\\u005f_proto__":{"polluted":1}}': ['/__proto__'],
      '{"name":"a","note":{"__pr\\u006fto__":{"polluted":1}}}': ['/note/__proto__'],
      '{"name":"a","note":{"deep":[{"__proto__":{"polluted":1}}]}}': ['/note/deep/0/__proto__'],
      '{"name":"a","constructor":{"prototype":{"polluted":1}}}': ['/constructor'],
    };
    for (const [body, pointers] of Object.entries(attempts)) {
      const problem = await server.problemOf('POST', '/things', body);
      assert.equal(problem.code, 'invalid-request', body);
      assert.deepEqual(
        problem.errors?.map(({ pointer }) => pointer),
        pointers,
        body,
      );
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.equal(
      (await server.send('POST', '/things', '{"name":"__proto__"}', 'application/json')).status,
      200,
    );
  });

  test('with many halves of characters below a long name get no error as large as the body', () => {
    const halves = Array.from({ length: 600 }, (_, n) => `"\\ud83d${n}":1`).join();
    assert.throws(
      () => parseJson(Buffer.from(`{"${'~'.repeat(100_000)}":{${halves}}}`)),
      ({ errors }: ProblemError) => errors.length === 100 && JSON.stringify(errors).length < 100_000,
    );
  });

  test('with more than 64 levels are rejected with 400, in whichever member they are', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const depth of [65, 5_000, 300_000]) {
      for (const member of ['name', 'parts', 'note', 'unknown']) {
        const problem = await server.problemOf(
          'POST',
          '/things',
          `{"name":"a","${member}":${nested(depth)}}`,
        );
        assert.equal(problem.code, 'invalid-request');
        assert.ok(JSON.stringify(problem).length < 2_000, `${member} ${depth}`);
      }
    }
    const objects = `{"name":"a","note":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`;
    assert.match((await server.problemOf('POST', '/things', objects)).detail, /64 levels/);
    for (const body of [
      `{"name":"a","note":${nested(63)}}`,
      `{"name":"${'['.repeat(90)}","note":["\\"[[${'{'.repeat(90)}",{}]}`,
      `{"name":"a","note":[${Array.from({ length: 100 }, () => '[{}]')}]}`,
    ]) {
      assert.equal((await server.send('POST', '/things', body, 'application/json')).status, 200, body);
    }
  });

  test('that are too large are rejected with 413, with or without a Content-Length', async () => {
    const large = `{"name":"${'a'.repeat(MAX_BODY_BYTES)}"}`;
    assert.equal((await server.problemOf('POST', '/things', large)).code, 'content-too-large');
    const withLength = await server.exchange(
      `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`,
    );
    assert.match(withLength, /^HTTP\/1\.1 413 /, 'before any byte of the body');
    const chunk = 'a'.repeat(65_536);
    const chunked = `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`10000\r\n${chunk}\r\n`.repeat(17)}`;
    assert.match(await server.exchange(chunked), /^HTTP\/1\.1 413 /);
  });
});
