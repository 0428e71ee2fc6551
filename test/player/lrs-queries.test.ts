import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { aroundTests } from '../support/around-tests.ts';
import {
  ANN,
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
  VOIDED,
} from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: what a statement is found by is decided in the process. The tests of statements search
// on both.

const GROUP = { objectType: 'Group', account: { homePage: 'https://example.com', name: 'golfers' } };

describe('a query of the learning record store', () => {
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts));
  });

  test('finds the statements of a group by the group and by each of its members', async () => {
    const registration = randomUUID();
    const [id] = await lrs.store(
      statement({ actor: { ...GROUP, member: [ANN, EVE] }, context: { registration } }),
    );
    for (const agent of [GROUP, ANN, EVE].map((each) => JSON.stringify(each)))
      assert.deepEqual(await lrs.find({ registration, agent }), [id], agent);
    assert.deepEqual(await lrs.find({ registration, agent: JSON.stringify(BOB) }), []);
  });

  for (const [name, context] of [
    ['the instructor', { instructor: EVE }],
    ['a member of the team', { team: { objectType: 'Group', member: [BOB, EVE] } }],
    ['an agent in the context', { contextAgents: [{ objectType: 'contextAgent', agent: EVE }] }],
    [
      'a member of a group in the context',
      { contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', member: [EVE] } }] },
    ],
  ] as [string, object][]) {
    test(`with related_agents finds the statements with ${name}`, async () => {
      const registration = randomUUID();
      const headers = VERSION_2;
      const body = statement({ context: { registration, ...context } });
      const { json } = await lrs.call('POST', 'statements', { body, headers });
      const query = { registration, agent: JSON.stringify(EVE) };
      assert.deepEqual(await lrs.find(query), []);
      assert.deepEqual(await lrs.find({ ...query, related_agents: 'true' }), json);
    });
  }

  test('with related_agents finds the statements of an authority', async () => {
    const registration = randomUUID();
    const [id] = await lrs.store(statement({ context: { registration } }));
    const { authority } = (await lrs.call('GET', 'statements', { query: { statementId: id! } })).json;
    const query = { registration, agent: JSON.stringify(authority) };
    assert.deepEqual(await lrs.find(query), []);
    assert.deepEqual(await lrs.find({ ...query, related_agents: 'true' }), [id]);
  });

  test('finds a registration in whichever case it is written', async () => {
    const registration = randomUUID();
    const [id] = await lrs.store(statement({ context: { registration: registration.toUpperCase() } }));
    for (const each of [registration, registration.toUpperCase()])
      assert.deepEqual(await lrs.find({ registration: each }), [id]);
  });

  test('for one statement by its id accepts no filters', async () => {
    const [id] = await lrs.store(statement());
    const ask = async (query: Record<string, string>) =>
      (await lrs.call('GET', 'statements', { query: { statementId: id!, ...query } })).status;
    assert.equal(await ask({ format: 'ids', attachments: 'false' }), 200);
    assert.equal(await ask({ verb: PASSED.id }), 400);
    assert.equal(await ask({ voidedStatementId: id! }), 400);
  });

  test('returns at most 100 statements at a time, however many it asks for', async () => {
    const registration = randomUUID();
    await lrs.store(...Array.from({ length: 101 }, () => statement({ context: { registration } })));
    for (const limit of ['0', '101', '999999999'])
      assert.equal((await lrs.find({ registration, limit })).length, 100, limit);
  });

  test('returns at most 8 MiB of attachments at a time, and then says that there are more', async () => {
    const registration = randomUUID();
    for (const fill of ['a', 'b', 'c']) {
      const content = Buffer.alloc(3 * MIB, fill);
      const attachment = attachmentOf(content);
      const sent = statement({ context: { registration }, attachments: [attachment] });
      const { status, text } = await lrs.call(
        'POST',
        'statements',
        multipart(sent, [{ ...attachment, content }]),
      );
      assert.equal(status, 200, text);
    }
    const ask = async (attachments: string) =>
      (await lrs.call('GET', 'statements', { query: { registration, attachments } })).text;
    const text = await ask('true');
    assert.equal(text.match(/^X-Experience-API-Hash: /gm)?.length, 2);
    assert.match(text, /"more":"\/xapi/);
    assert.match(await ask('false'), /"more":""/);
  });

  test('finds a statement that is stored after one that refers to it was voided', async () => {
    const [id, about] = [randomUUID(), randomUUID()];
    await lrs.store(
      statement({ id: about, object: reference(id) }),
      statement({ verb: VOIDED, object: reference(about) }),
    );
    await lrs.store(statement({ id }));
    assert.equal((await lrs.call('GET', 'statements', { query: { statementId: id } })).status, 200);
  });

  test('finds a voiding statement, although one that is stored before it claims to void it', async () => {
    const [target, voiding] = [randomUUID(), randomUUID()];
    await lrs.store(statement({ id: target }), statement({ verb: VOIDED, object: reference(voiding) }));
    await lrs.store(statement({ id: voiding, verb: VOIDED, object: reference(target) }));
    assert.equal((await lrs.call('GET', 'statements', { query: { statementId: voiding } })).status, 200);
    const { status } = await lrs.call('GET', 'statements', { query: { voidedStatementId: target } });
    assert.equal(status, 200);
  });
});
