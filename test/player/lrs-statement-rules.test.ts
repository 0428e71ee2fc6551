import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import {
  ANN,
  activity,
  attachmentOf,
  BOB,
  EVE,
  type LrsClient,
  multipart,
  openStore,
  PASSED,
  reference,
  statement,
  VERSION_2,
} from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: statements are validated before they are stored.

const subStatement = (object: object) => ({ objectType: 'SubStatement', actor: ANN, verb: PASSED, object });
const group = (...member: object[]) => ({ objectType: 'Group', member });

describe('a statement that a client sends', () => {
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts));
  });

  const send = (body: unknown, headers = {}) => lrs.call('POST', 'statements', { body, headers });
  const stored = async (statementId: string) =>
    (await lrs.call('GET', 'statements', { query: { statementId } })).json;

  for (const [name, wrong, right] of [
    [
      'an offset of minus zero',
      { timestamp: '2026-01-31T09:30:00-00:00' },
      { timestamp: '2026-01-31T09:30:00+00:00' },
    ],
    [
      'a range of scores without extent',
      { result: { score: { min: 1, max: 1 } } },
      { result: { score: { min: 0, max: 1, raw: 1, scaled: -1 } } },
    ],
    [
      'a score outside of its range',
      { result: { score: { min: 0, max: 10, raw: 11 } } },
      { result: { score: { min: 0, max: 10, raw: 10, scaled: 1 } } },
    ],
    [
      'a platform, although it is not about an activity',
      { object: { objectType: 'Agent', ...BOB }, context: { platform: 'x' } },
      { context: { platform: 'x', revision: '1' } },
    ],
    [
      'a substatement in a substatement',
      { object: subStatement(subStatement(activity('inner'))) },
      { object: subStatement(reference(randomUUID())) },
    ],
    ['a group of nobody', { actor: group() }, { actor: group(EVE) }],
    ['an authority of three agents', { authority: group(ANN, BOB, EVE) }, { authority: group(ANN, BOB) }],
    [
      'agents in a context of xAPI 1.0.3',
      { context: { contextAgents: [{ objectType: 'contextAgent', agent: EVE }] } },
      { context: { instructor: EVE } },
    ],
  ] as [string, object, object][]) {
    test(`is refused with ${name}`, async () => {
      assert.equal((await send(statement(wrong))).status, 400);
      const { status, text } = await send(statement(right));
      assert.equal(status, 200, text);
    });
  }

  test('is refused if another one in the request has its id, in whichever case', async () => {
    const id = randomUUID();
    const body = [statement({ id }), statement({ id: id.toUpperCase() })];
    const { status, json } = await send(body);
    assert.deepEqual([status, json.errors[0].pointer], [400, '/1/id']);
  });

  test('may name its id in another case than the query of a PUT, but no other id', async () => {
    const statementId = randomUUID();
    const put = async (id: string) =>
      (await lrs.call('PUT', 'statements', { query: { statementId }, body: statement({ id }) })).status;
    assert.equal(await put(randomUUID()), 400);
    assert.equal(await put(statementId.toUpperCase()), 204);
    assert.equal((await stored(statementId)).id, statementId);
  });

  test('gets the authority of the client, whatever it says', async () => {
    const [own] = await lrs.store(statement());
    const [claimed] = await lrs.store(statement({ authority: EVE }));
    assert.deepEqual((await stored(claimed!)).authority, (await stored(own!)).authority);
  });

  test('has the version of xAPI that the client uses, unless it names one', async () => {
    const versionOf = async (members: object, headers = {}) => {
      const { json } = await send(statement(members), headers);
      return (await stored(json[0])).version;
    };
    assert.equal(await versionOf({}), '1.0.0');
    assert.equal(await versionOf({}, VERSION_2), '2.0.0');
    assert.equal(await versionOf({ version: '1.0.2' }, VERSION_2), '1.0.2');
    assert.equal((await send(statement({ version: '2.0.0' }))).status, 400);
  });

  test('is the same if its times are written in another way, but not at another time', async () => {
    const id = randomUUID();
    const at = (timestamp: string, duration: string) => statement({ id, timestamp, result: { duration } });
    await lrs.store(at('2026-01-31T09:30:00Z', 'PT1.234S'));
    await lrs.store(at('2026-01-31T10:30:00.000+01:00', 'PT1.239S'));
    assert.equal((await send(at('2026-01-31T09:30:01Z', 'PT1.234S'))).status, 409);
    assert.equal((await send(at('2026-01-31T09:30:00Z', 'PT1.25S'))).status, 409);
  });

  test('needs the content of an attachment only if it names no address of it', async () => {
    const content = Buffer.from('content');
    const attachment = attachmentOf(content, 'sha384');
    const { sha2 } = attachment;
    const fileUrl = 'https://example.com/file';
    assert.equal((await send(statement({ attachments: [attachment] }))).status, 400);
    assert.equal((await send(statement({ attachments: [{ ...attachment, fileUrl }] }))).status, 200);
    const upper = statement({ attachments: [{ ...attachment, sha2: sha2.toUpperCase() }] });
    assert.equal((await lrs.call('POST', 'statements', multipart(upper, [{ sha2, content }]))).status, 200);
  });
});
