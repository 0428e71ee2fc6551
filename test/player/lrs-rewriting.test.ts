import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { KIB } from '../../src/bytes.ts';
import type { LrsScope } from '../../src/player/lrs/lrs-scope.ts';
import { StatementService } from '../../src/player/lrs/statements/statement-service.ts';
import { StatementTimes } from '../../src/player/lrs/statements/statement-times.ts';
import type { Statement } from '../../src/player/lrs/xapi-types.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { watchedDatabase } from '../support/watched-database.ts';
import { ANN, ATTEMPTED, activity, type LrsClient, openStore, reference, statement } from './lrs-helpers.ts';

const TEXT = 'x'.repeat(240 * KIB);
/** As many large statements as fit into a request. */
const LARGE_PER_REQUEST = 33;

/** A statement of 240 KiB, most of it a definition. */
function largeStatement(id: string, object = activity('large')) {
  const definition = { description: { en: TEXT } };
  return statement({ id, timestamp: '2026-01-31T09:30:00Z', object: { ...object, definition } });
}

/** The same without the definition: for xAPI, the two are equivalent. */
function shortForm(id: string) {
  return statement({ id, timestamp: '2026-01-31T09:30:00Z', object: activity('large') });
}

describe('storing statements', () => {
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts));
  });

  test('compares those that are sent again, if they have at most 16 MiB as stored', async () => {
    const ids = Array.from({ length: 3 * LARGE_PER_REQUEST }, () => randomUUID());
    for (let at = 0; at < ids.length; at += LARGE_PER_REQUEST) {
      await lrs.store(...ids.slice(at, at + LARGE_PER_REQUEST).map((id) => largeStatement(id)));
    }
    const whole = ids.slice(0, LARGE_PER_REQUEST);
    assert.deepEqual(await lrs.store(...whole.map((id) => largeStatement(id))), whole, 'a whole request');
    assert.deepEqual(await lrs.store(...whole.map(shortForm)), whole);
    const { status, json } = await lrs.call('POST', 'statements', { body: ids.map(shortForm) });
    assert.deepEqual([status, json.type], [413, 'urn:coursewire:problem:content-too-large']);
    assert.match(json.detail, /16777216 bytes/);
  });

  test('adds to 4 MiB of stored definitions, and stores every new one', async () => {
    const activities = Array.from({ length: LARGE_PER_REQUEST }, (_, n) => activity(`large-${n}`));
    const definitionOf = async ({ id }: { id: string }) =>
      (await lrs.call('GET', 'activities', { query: { activityId: id } })).json.definition;
    const mention = (other: object[]) => lrs.store(statement({ context: { contextActivities: { other } } }));
    await lrs.store(...activities.map((object) => largeStatement(randomUUID(), object)));
    const extensions = { 'https://example.com/added': 1 };
    const fresh = Array.from({ length: 20 }, (_, n) => activity(`fresh-${n}`));
    await mention([...activities, ...fresh].map((each) => ({ ...each, definition: { extensions } })));
    const definitions = await Promise.all(activities.map(definitionOf));
    assert.ok(definitions.every(({ description }) => description.en === TEXT));
    const added = definitions.filter((definition) => definition.extensions !== undefined).length;
    assert.equal(added, Math.ceil((4 * KIB * KIB) / JSON.stringify(definitions[0]).length));
    for (const each of fresh) assert.deepEqual(await definitionOf(each), { extensions }, each.id);
    const name = { en: 'Changed' };
    await mention([{ ...activities[0], definition: { name } }]);
    assert.deepEqual((await definitionOf(activities[0]!)).name, name, 'a few are always changed');
  });

  test('reads no large statement while others wait to write', async () => {
    await using opened = await openTestDatabase();
    let characters = 0;
    const database = watchedDatabase(opened.database, ({ member, isInTransaction, result }) => {
      if (!isInTransaction) return;
      assert.notEqual(member, 'query', 'what it reads cannot be counted');
      if (Array.isArray(result)) characters += JSON.stringify(result).length;
    });
    const times = new StatementTimes({ reader: database.reader, now: Date.now });
    const statements = new StatementService({ database, times });
    const scope: LrsScope = {
      authority: ANN,
      by: null,
      mayRead: true,
      mayWrite: true,
      path: '',
      launch: null,
    };
    const store = (...sent: object[]) =>
      statements.store(scope, sent as Statement[], { contents: [], version: '1.0.3' });
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const later = randomUUID();
    await store(...ids.map((id) => largeStatement(id)));
    await store({
      ...largeStatement(randomUUID()),
      verb: ATTEMPTED,
      object: reference(later),
      result: { response: TEXT },
    });
    assert.ok(characters > 0, 'reads are counted');
    characters = 0;
    await store(...ids.map(shortForm));
    await store(...ids.map((id) => statement({ object: reference(id) })));
    await store(statement({ id: later }));
    assert.ok(characters > 0 && characters < 50_000, `${characters} characters`);
  });
});
