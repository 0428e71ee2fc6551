import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import type { TestService } from '../support/service.ts';
import {
  ANN,
  activity,
  attachmentOf,
  BOB,
  type LrsClient,
  multipart,
  openStore,
  PASSED,
  reference,
  statement,
  VOIDED,
} from './lrs-helpers.ts';

describe('statements of the learning record store', () => {
  let service: TestService;
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ service, lrs } = await openStore(parts));
  });

  test('are returned as they were sent, with an id, time, authority and version', async () => {
    const sent = statement({ result: { score: { scaled: 0.5 } }, context: { language: 'de-CH' } });
    const [id] = await lrs.store(sent);
    const { json } = await lrs.call('GET', 'statements', { query: { statementId: id! } });
    const { id: kept, stored, timestamp, authority, version, ...rest } = json;
    assert.deepEqual(rest, sent);
    assert.equal(kept, id);
    assert.equal(timestamp, stored);
    assert.equal(version, '1.0.0');
    assert.equal(authority.account.name.startsWith('cw_'), true);
  });

  test('are found by agent, verb, activity and registration, and by all of them together', async () => {
    const registration = randomUUID();
    const context = { registration };
    const [ann, bob, other] = await lrs.store(
      statement({ context, object: activity('filters') }),
      statement({ context, object: activity('filters'), actor: BOB, verb: PASSED }),
      statement({ context, object: activity('other'), actor: BOB }),
    );
    const within = (query: Record<string, string>) => lrs.find({ registration, ...query });
    assert.deepEqual(await within({}), [other, bob, ann], 'the latest first');
    assert.deepEqual(await within({ ascending: 'true' }), [ann, bob, other]);
    assert.deepEqual(await within({ agent: JSON.stringify(ANN) }), [ann]);
    assert.deepEqual(await within({ agent: JSON.stringify(BOB) }), [other, bob]);
    assert.deepEqual(await within({ verb: PASSED.id }), [bob]);
    assert.deepEqual(await within({ activity: activity('filters').id }), [bob, ann]);
    assert.deepEqual(
      await within({ activity: activity('filters').id, agent: JSON.stringify(BOB), verb: PASSED.id }),
      [bob],
    );
    assert.deepEqual(await within({ activity: activity('nowhere').id }), []);
    for (const agent of ['1', '"ann"', 'true', '[]', '{}'])
      assert.equal((await lrs.call('GET', 'statements', { query: { agent } })).status, 400, agent);
  });

  test('are found by other agents and activities that they mention only with the broad filters', async () => {
    const registration = randomUUID();
    const [id] = await lrs.store(
      statement({
        context: {
          registration,
          instructor: BOB,
          contextActivities: { parent: activity('parent'), other: [activity('a'), activity('b')] },
        },
        object: {
          objectType: 'SubStatement',
          actor: ANN,
          verb: PASSED,
          object: activity('inner'),
        },
      }),
    );
    for (const name of ['parent', 'a', 'b', 'inner']) {
      const query = { registration, activity: activity(name).id };
      assert.deepEqual(await lrs.find(query), [], name);
      assert.deepEqual(await lrs.find({ ...query, related_activities: 'true' }), [id], name);
    }
    const query = { registration, agent: JSON.stringify(BOB) };
    assert.deepEqual(await lrs.find(query), []);
    assert.deepEqual(await lrs.find({ ...query, related_agents: 'true' }), [id]);
  });

  test('are paged without gaps or repetitions while others arrive', async () => {
    const registration = randomUUID();
    const context = { registration };
    const ids = await lrs.store(...Array.from({ length: 7 }, () => statement({ context })));
    const found: string[] = [];
    let next = `/xapi/statements?${new URLSearchParams({ registration, limit: '3' })}`;
    while (next !== '') {
      const response = await fetch(service.url + next, {
        headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' },
      });
      assert.equal(response.status, 200);
      const page = (await response.json()) as { statements: { id: string }[]; more: string };
      found.push(...page.statements.map(({ id }) => id));
      next = page.more;
      await lrs.store(statement({ context }));
    }
    assert.deepEqual(found, ids.toReversed());
  });

  test('are filtered with since and until by the time at which they were stored', async () => {
    const registration = randomUUID();
    const [first] = await lrs.store(statement({ context: { registration } }));
    const { json } = await lrs.call('GET', 'statements', { query: { statementId: first! } });
    let second: string | undefined;
    let stored = json.stored;
    // The store's moments are milliseconds: two statements may share one.
    while (stored === json.stored) {
      [second] = await lrs.store(statement({ context: { registration }, actor: BOB }));
      stored = (await lrs.call('GET', 'statements', { query: { statementId: second! } })).json.stored;
    }
    const later = await lrs.find({ registration, since: json.stored });
    assert.equal(later.includes(first!), false);
    assert.equal(later.includes(second!), true);
    assert.deepEqual(await lrs.find({ registration, until: json.stored, agent: JSON.stringify(ANN) }), [
      first,
    ]);
  });

  test('that are voided are found only as voided, whichever statement came first', async () => {
    const registration = randomUUID();
    const context = { registration };
    const early = randomUUID();
    const [late, voidsLate] = await lrs.store(
      statement({ context }),
      statement({ verb: VOIDED, object: reference(early) }),
    );
    await lrs.store(statement({ context, id: early }));
    const [voidsEarly] = await lrs.store(statement({ verb: VOIDED, object: reference(late!) }));
    assert.deepEqual((await lrs.find({ registration })).sort(), [voidsLate, voidsEarly].sort());
    for (const id of [early, late!]) {
      const plain = await lrs.call('GET', 'statements', { query: { statementId: id } });
      assert.equal(plain.status, 404);
      const voided = await lrs.call('GET', 'statements', { query: { voidedStatementId: id } });
      assert.equal(voided.json.id, id);
    }
    const reply = await lrs.call('POST', 'statements', {
      body: statement({ verb: VOIDED, object: reference(voidsEarly!) }),
    });
    assert.equal(reply.status, 400, 'a voiding statement cannot be voided');
  });

  test('that refer to another one are found by its contents, even if it arrives later', async () => {
    const registration = randomUUID();
    const target = randomUUID();
    const [upper, top] = await lrs.store(
      { id: randomUUID(), actor: BOB, verb: PASSED, object: reference(target) },
      { actor: BOB, verb: PASSED, object: reference(randomUUID()) },
    );
    const [over] = await lrs.store({ actor: BOB, verb: PASSED, object: reference(upper!) });
    await lrs.store(statement({ id: target, context: { registration } }));
    assert.deepEqual((await lrs.find({ registration })).sort(), [target, upper, over].sort());
    assert.equal((await lrs.find({ registration })).includes(top!), false);
  });

  test('that are sent again change nothing, and different ones with the same id are rejected', async () => {
    const id = randomUUID();
    const registration = randomUUID();
    const sent = statement({ id, context: { registration }, timestamp: '2026-01-31T09:30:00Z' });
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        lrs.call('PUT', 'statements', { query: { statementId: id }, body: sent }),
      ),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 204, 204, 204, 204],
    );
    assert.deepEqual(await lrs.find({ registration }), [id]);
    const other = { ...sent, verb: PASSED };
    const reply = await lrs.call('POST', 'statements', {
      body: [statement({ context: { registration } }), other],
    });
    assert.equal(reply.status, 409);
    assert.deepEqual(await lrs.find({ registration }), [id], 'nothing of the batch was stored');
  });

  test('are the same if they are sent again with members in another order, or identifiers in another case', async () => {
    const [id, target, registration] = [randomUUID(), randomUUID(), randomUUID()];
    const group = (...member: object[]) => ({ objectType: 'Group', member });
    const cat = { mbox: 'mailto:Cat@example.com' };
    const sent = statement({
      id,
      actor: group(BOB, ANN, cat),
      object: reference(target),
      context: { registration, statement: reference(target), team: group(ANN, cat) },
    });
    await lrs.store(sent);
    const { homePage, name } = BOB.account;
    const catAgain = { objectType: 'Agent', mbox: 'mailto:Cat@EXAMPLE.com', name: 'Cat' };
    const again = statement({
      id: id.toUpperCase(),
      actor: group(catAgain, ANN, { account: { name, homePage } }),
      object: reference(target.toUpperCase()),
      context: {
        registration: registration.toUpperCase(),
        statement: reference(target.toUpperCase()),
        team: group(catAgain, ANN),
      },
    });
    const [, next] = await lrs.store(again, statement({ context: { registration } }));
    assert.deepEqual(await lrs.find({ registration }), [next, id]);
    for (const actor of [
      group(BOB, ANN),
      group(BOB, ANN, ANN),
      group(BOB, ANN, { mbox: 'mailto:cat@example.com' }),
    ])
      assert.equal((await lrs.call('POST', 'statements', { body: { ...sent, actor } })).status, 409);
  });

  test('are rejected with every offending member named', async () => {
    const { status, json } = await lrs.call('POST', 'statements', {
      body: [
        statement(),
        {
          actor: { ...ANN, openid: 'x' },
          verb: {},
          object: { id: 'no iri', definition: { nme: {} } },
          extra: 1,
        },
      ],
    });
    assert.equal(status, 400);
    assert.deepEqual(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '/1/actor',
      '/1/actor/openid',
      '/1/extra',
      '/1/object/definition/nme',
      '/1/object/id',
      '/1/verb/id',
    ]);
  });

  test('are limited in number, size and depth', async () => {
    const many = await lrs.call('POST', 'statements', {
      body: Array.from({ length: 501 }, () => statement()),
    });
    assert.equal(many.status, 413);
    const large = statement({ result: { response: 'x'.repeat(300_000) } });
    assert.equal((await lrs.call('POST', 'statements', { body: large })).status, 413);
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const body = `{"actor":{"mbox":"mailto:a@b.c"},"verb":{"id":"x:y"},"object":{"id":"x:y"},"result":{"extensions":{"x:y":${deep}}}}`;
    assert.equal((await lrs.call('POST', 'statements', { body })).status, 400);
    const grouping = Array.from({ length: 10_000 }, (_, at) => ({ id: `x:${at}` }));
    const crowded = statement({ context: { contextActivities: { grouping } } });
    assert.equal((await lrs.call('POST', 'statements', { body: crowded })).status, 413);
    const huge = await lrs.call('POST', 'statements', { body: 'x'.repeat(17 * 1024 * 1024) });
    assert.equal(huge.status, 413);
  });

  test('have attachments, which are returned byte for byte on request', async () => {
    const content = Buffer.from('line\r\n--not the boundary\r\n\0\xff', 'latin1');
    const attachment = attachmentOf(content);
    const { sha2 } = attachment;
    const sent = statement({ attachments: [attachment] });
    const stored = await lrs.call('POST', 'statements', multipart(sent, [{ sha2, content }]));
    assert.equal(stored.status, 200, stored.text);
    const response = await fetch(
      `${lrs.endpoint}/statements?statementId=${stored.json[0]}&attachments=true`,
      { headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' } },
    );
    const boundary = /boundary=(.*)$/.exec(response.headers.get('content-type')!)![1];
    const parts = Buffer.from(await response.arrayBuffer())
      .toString('latin1')
      .split(`--${boundary}`);
    assert.equal(parts.length, 4);
    assert.match(parts[2]!, new RegExp(`X-Experience-API-Hash: ${sha2}`));
    assert.equal(parts[2]!.slice(parts[2]!.indexOf('\r\n\r\n') + 4, -2), content.toString('latin1'));
    const plain = await lrs.call('GET', 'statements', { query: { statementId: stored.json[0] } });
    assert.deepEqual(plain.json.attachments, [attachment]);
  });

  test('are listed even with an attachment that alone exceeds the size of a page', async () => {
    const content = Buffer.alloc(9 * 1024 * 1024, 'x');
    const attachment = attachmentOf(content);
    const id = randomUUID();
    const sent = statement({ id, attachments: [attachment], context: { registration: id } });
    const stored = await lrs.call('POST', 'statements', multipart(sent, [{ ...attachment, content }]));
    assert.equal(stored.status, 200, stored.text);
    const { status, text } = await lrs.call('GET', 'statements', {
      query: { registration: id, attachments: 'true' },
    });
    assert.equal(status, 200);
    assert.ok(text.includes(`"id":"${id}"`) && text.length > content.length, String(text.length));
  });

  test('whose attachments have more than 64 MiB together are rejected, even if they share one', async () => {
    const content = Buffer.alloc(2 * 1024 * 1024);
    const attachment = attachmentOf(content);
    const sent = Array.from({ length: 33 }, () => statement({ attachments: [attachment] }));
    const { status, json } = await lrs.call(
      'POST',
      'statements',
      multipart(sent, [{ ...attachment, content }]),
    );
    assert.equal(status, 413);
    assert.match(json.detail, /more than 67108864 bytes together/);
  });

  test('whose attachments are missing, wrong or unknown are rejected', async () => {
    const content = Buffer.from('content');
    const attachment = attachmentOf(content);
    const { sha2 } = attachment;
    const named = statement({ attachments: [attachment] });
    const calls = [
      multipart(named, []),
      multipart(named, [{ sha2, content: Buffer.from('other') }]),
      multipart(statement(), [{ sha2, content }]),
      { body: named },
    ];
    for (const call of calls) assert.equal((await lrs.call('POST', 'statements', call)).status, 400);
    const broken = { ...attachment, contentType: 'text/plain\n;a=b', fileUrl: 'https://example.com/file' };
    const reply = await lrs.call('POST', 'statements', { body: statement({ attachments: [broken] }) });
    assert.equal(reply.status, 400, 'a line break in a media type');
  });

  test('are returned in one language or as identifiers on request', async () => {
    const object = { ...activity('words'), definition: { name: { en: 'Golf', 'de-CH': 'Golf spielen' } } };
    const [id] = await lrs.store(statement({ object, actor: { ...ANN, name: 'Ann' } }));
    const query = { statementId: id! };
    const canonical = await lrs.call('GET', 'statements', {
      query: { ...query, format: 'canonical' },
      headers: { 'accept-language': 'fr;q=0.9, de;q=0.8' },
    });
    assert.deepEqual(canonical.json.object.definition.name, { 'de-CH': 'Golf spielen' });
    const ids = await lrs.call('GET', 'statements', { query: { ...query, format: 'ids' } });
    assert.deepEqual(ids.json.object, activity('words'));
    assert.equal(ids.json.actor.name, undefined);
  });
});
