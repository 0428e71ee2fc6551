import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import { makeParties, register, sql } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { breakTable, openDatabaseOf } from '../support/database.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The number of rows that a transaction may delete. */
const MAX_ROWS = 200;
const MAX_ATTEMPT_ROWS = 1_000;
const MAX_TERMS = 2_000;
const MAX_BYTES = 8 * MIB;
const TERMS = ['launch', 'verb', 'activity', 'any-activity', 'agent', 'any-agent'];

/** The records that are stored for a registration. */
interface Records {
  statements?: number;
  /** Of each statement. */
  terms?: number;
  /** Sizes of attachments. Each belongs to a statement of its own. */
  attachments?: readonly number[];
  /** Sizes of documents. */
  documents?: readonly number[];
  activities?: number;
  /** Sizes of the data of units. */
  units?: readonly number[];
  /** Sizes of what the units of an attempt share. Each belongs to an attempt of its own. */
  states?: readonly number[];
  /** Sizes of what is stored for sessions. */
  sessions?: readonly number[];
  /** Sizes of values that other courses of the learner see. */
  values?: readonly number[];
}

/** Stored data with so many characters. */
function textOf(size: number): string {
  return JSON.stringify('x'.repeat(size));
}

describe('the records of a registration', () => {
  let service: TestService;
  let database: Database;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    database = parts.use(await openDatabaseOf(service.settings.data_dir));
  });

  /** Stores records directly. Through the API that would take minutes. */
  async function keep(
    registrationId: string,
    {
      statements = 0,
      terms = TERMS.length,
      attachments = [],
      documents = [],
      activities = 0,
      ...ofAttempts
    }: Records,
  ): Promise<void> {
    const id = (n: number) => `${registrationId}-${n}`;
    const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
    await database.transaction(async (tx) => {
      await tx.insertMany(
        'lrs_statements',
        ['statement_id', 'registration_id', 'is_voiding', 'is_voided', 'stored_at', 'statement'],
        numbers(statements).map((n) => [id(n), registrationId, 0, 0, n, '{}']),
      );
      const stored = await tx.all<{ id: number }>(
        'select id from lrs_statements where registration_id = ? order by id',
        registrationId,
      );
      await tx.insertMany(
        'lrs_statement_index',
        ['kind', 'term', 'stored_at', 'statement'],
        stored.flatMap((row) => numbers(terms).map((n) => [TERMS[n % TERMS.length]!, `${n}`, 0, row.id])),
      );
      await tx.insertMany(
        'lrs_attachments',
        ['statement', 'sha2', 'content_type', 'byte_count', 'content'],
        attachments.map((size, n) => [stored[n]!.id, 'hash', 'text/plain', size, 'x']),
      );
      await tx.insertMany(
        'lrs_documents',
        [
          ...['document_key', 'collection_key', 'registration_id', 'registration', 'document_id'],
          ...['content_type', 'content', 'etag', 'updated_at'],
        ],
        documents.map((size, n) => [
          ...[id(n), registrationId, registrationId, '', `${n}`, 'text/plain', 'x'.repeat(size), '"1"', 0],
        ]),
      );
      await tx.insertMany(
        'lrs_activities',
        ['activity_key', 'term', 'registration_id', 'definition', 'updated_at'],
        numbers(activities).map((n) => [id(n), id(n), registrationId, '{}', 0]),
      );
      await keepAttempts(tx, registrationId, ofAttempts);
    });
  }

  async function keepAttempts(
    tx: Transaction,
    registrationId: string,
    { units = [], states = [], sessions = [], values = [] }: Records,
  ): Promise<void> {
    const attempts = Math.max(states.length, 1);
    await tx.insertMany(
      'player_attempts',
      ['registration_id', 'number', 'version_id', 'page', 'state', 'started_at', 'ended_at'],
      Array.from({ length: attempts }, (_, n) => {
        const state = states[n] === undefined ? null : textOf(states[n]);
        return [registrationId, n + 1, 0, 1, state, n, n + 1 < attempts ? n : null];
      }),
    );
    await keepUnits(tx, registrationId, attempts, units);
    await tx.insertMany(
      'player_sessions',
      [
        ...['session_id', 'launch_id', 'registration_id', 'attempt', 'unit_id', 'registration', 'actor'],
        ...['activity_id', 'mode', 'launch_data', 'facts', 'started_at', 'active_at'],
      ],
      sessions.map((size, n) => [
        ...[`${registrationId} ${n}`, 'launch', registrationId, 1, 'unit 0', registrationId, '{}'],
        ...['activity', 'Normal', '{}', textOf(size), n, n],
      ]),
    );
    await tx.insertMany(
      'player_learner_values',
      ['registration_id', 'value_key', 'kind', 'value_id', 'value', 'updated_at'],
      values.map((size, n) => [registrationId, `${n}`, 'store', `${n}`, textOf(size), n]),
    );
  }

  async function keepUnits(
    tx: Transaction,
    registrationId: string,
    attempt: number,
    sizes: readonly number[],
  ): Promise<void> {
    await tx.insertMany(
      'player_units',
      [
        ...['registration_id', 'attempt', 'unit_id', 'completion', 'success', 'duration_ms', 'earlier_ms'],
        ...['page', 'visit', 'sequence', 'data', 'opened_at', 'updated_at'],
      ],
      sizes.map((size, n) => [
        ...[registrationId, attempt, `unit ${n}`, 'Completed', 'PASS', 0, 0, 1, 1, 1, textOf(size), n, n],
      ]),
    );
  }

  /** The number of rows of a table that belong to a registration. */
  const count = async (table: string, registrationId: string): Promise<number> => {
    const condition =
      {
        lrs_statement_index: 'statement in (select id from lrs_statements where registration_id = ?)',
        lrs_attachments: 'statement in (select id from lrs_statements where registration_id = ?)',
        player_attempts: 'registration_id = ? and state is not null',
      }[table] ?? 'registration_id = ?';
    const text = `select count(*) as n from ${table} where ${condition}`;
    return (await sql<{ n: number }>(service, text, registrationId)).n;
  };

  const lastAction = async () => (await service.api.get('/audit-log?limit=1')).body.data[0].action;
  const timesBegun = async (id: string) => {
    const query = `object_type=REGISTRATION&object_id=${id}&action=REGISTRATION_DELETION_BEGUN`;
    return (await service.api.get(`/audit-log?${query}`)).body.data.length;
  };

  const kinds: readonly {
    name: string;
    records: Records;
    table: string;
    atMost: number;
  }[] = [
    { name: 'statements', records: { statements: 700 }, table: 'lrs_statements', atMost: MAX_ROWS },
    {
      name: 'search keys of statements',
      records: { statements: 3, terms: 3_000 },
      table: 'lrs_statement_index',
      atMost: MAX_TERMS,
    },
    {
      name: 'large attachments',
      records: { statements: 5, attachments: Array(5).fill(5 * MIB) },
      table: 'lrs_attachments',
      atMost: 1,
    },
    {
      name: 'large documents',
      records: { documents: Array(5).fill(3 * MIB) },
      table: 'lrs_documents',
      atMost: Math.floor(MAX_BYTES / (3 * MIB)),
    },
    {
      name: 'documents',
      records: { documents: Array(500).fill(1) },
      table: 'lrs_documents',
      atMost: MAX_ROWS,
    },
    { name: 'definitions', records: { activities: 500 }, table: 'lrs_activities', atMost: MAX_ROWS },
    {
      name: 'large data of units',
      records: { units: Array(5).fill(3 * MIB) },
      table: 'player_units',
      atMost: Math.floor(MAX_BYTES / (3 * MIB)),
    },
    {
      name: 'units',
      records: { units: Array(2_500).fill(1) },
      table: 'player_units',
      atMost: MAX_ATTEMPT_ROWS,
    },
    {
      name: 'attempts with large shared data',
      records: { states: Array(5).fill(3 * MIB) },
      table: 'player_attempts',
      atMost: Math.floor(MAX_BYTES / (3 * MIB)),
    },
    {
      name: 'large sessions',
      records: { sessions: Array(5).fill(3 * MIB) },
      table: 'player_sessions',
      atMost: Math.floor(MAX_BYTES / (3 * MIB)),
    },
    {
      name: 'sessions',
      records: { sessions: Array(2_500).fill(1) },
      table: 'player_sessions',
      atMost: MAX_ATTEMPT_ROWS,
    },
    {
      name: 'large shared values',
      records: { values: Array(5).fill(3 * MIB) },
      table: 'player_learner_values',
      atMost: Math.floor(MAX_BYTES / (3 * MIB)),
    },
    {
      name: 'shared values',
      records: { values: Array(2_500).fill(1) },
      table: 'player_learner_values',
      atMost: MAX_ATTEMPT_ROWS,
    },
  ];

  for (const { name, records, table, atMost } of kinds) {
    test(`are deleted in parts before it if they have many ${name}`, async () => {
      const parties = await makeParties(service);
      const { registration_id: id } = await register(service, parties);
      const { registration_id: other } = await register(service, parties, 'other');
      await keep(id, records);
      await keep(other, records);
      const all = await count(table, other);
      const path = `/registrations/${id}`;
      assert.equal((await service.api.delete(path, { 'if-match': '"9"' })).status, 412);
      assert.equal(await count(table, id), all, 'a refused deletion deletes nothing');
      {
        await using _broken = await breakTable(database, 'registrations', 'delete');
        assert.equal((await service.api.delete(path, { 'if-match': '"1"' })).status, 500);
      }
      const left = await count(table, id);
      assert.ok(left > 0 && left <= atMost, `${left} of ${all} are left for the last transaction`);
      assert.equal((await service.api.get(path)).status, 200);
      assert.equal(await lastAction(), 'REGISTRATION_DELETION_BEGUN');
      assert.equal(await timesBegun(id), 1);
      assert.equal((await service.api.delete(path)).status, 204);
      assert.equal(await count(table, id), 0);
      assert.equal(await lastAction(), 'REGISTRATION_DELETED');
      assert.equal(await count(table, other), all, 'those of others are kept');
    });
  }

  test('are deleted in parts before it if those of several kinds are large together', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await keep(id, { documents: [3 * MIB, 3 * MIB], units: [3 * MIB, 3 * MIB] });
    {
      await using _broken = await breakTable(database, 'registrations', 'delete');
      assert.equal((await service.api.delete(`/registrations/${id}`)).status, 500);
    }
    assert.deepEqual([await count('lrs_documents', id), await count('player_units', id)], [2, 0]);
    assert.equal((await service.api.delete(`/registrations/${id}`)).status, 204);
  });

  test('are never continued without what was deleted: their attempt has ended, and a new one would begin', async () => {
    const parties = await makeParties(service);
    const { registration_id: large } = await register(service, parties);
    const { registration_id: small } = await register(service, parties, 'other');
    const { registration_id: documents } = await register(service, parties, 'with documents');
    await keep(large, { units: Array(5).fill(3 * MIB) });
    await keep(documents, { documents: Array(5).fill(3 * MIB) });
    await keep(small, { statements: 1 });
    const path = `/accounts/${parties.account_id}`;
    {
      await using _broken = await breakTable(database, 'registrations', 'delete');
      assert.equal((await service.api.delete(path)).status, 500);
    }
    const isOver = async (id: string) => {
      const text = 'select ended_at from player_attempts where registration_id = ?';
      return (await sql<{ ended_at: number | null }>(service, text, id)).ended_at !== null;
    };
    assert.deepEqual(await Promise.all([large, documents, small].map(isOver)), [true, true, false]);
    assert.equal((await service.api.get(`/registrations/${large}/runtime`)).status, 200);
    assert.equal((await service.api.delete(path)).status, 204);
  });

  test('are not mixed with what a learner does meanwhile: the page says that the registration was reset', async () => {
    const { registrationId: id } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, id);
    await client.open();
    await client.openUnit('i1');
    const passed = { core: { lesson_status: 'passed', score: { raw: 80 } } };
    assert.equal((await client.commit('i1', passed)).body.outcome, 'recorded');
    await database.transaction((tx) => keepUnits(tx, id, 1, Array(5).fill(3 * MIB)));
    {
      await using _broken = await breakTable(database, 'registrations', 'delete');
      assert.equal((await service.api.delete(`/registrations/${id}`)).status, 500);
    }
    assert.deepEqual(await client.commit('i1', passed), { status: 409, body: { outcome: 'reset' } });
    const next = await startLaunch(service, id);
    assert.equal((await next.open()).attempt, 2);
    assert.equal((await next.openUnit('i1')).data.cmi.core.lesson_status, 'not attempted');
    assert.equal((await service.api.delete(`/registrations/${id}`)).status, 204);
    assert.equal((await next.commit('i1', passed)).status, 404);
  });

  test('are deleted in one transaction with it if they are few', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await keep(id, { statements: MAX_ROWS, documents: [1, 2], activities: 3 });
    {
      await using _broken = await breakTable(database, 'registrations', 'delete');
      assert.equal((await service.api.delete(`/registrations/${id}`)).status, 500);
    }
    assert.equal(await count('lrs_statements', id), MAX_ROWS);
    assert.equal((await service.api.delete(`/registrations/${id}`)).status, 204);
    assert.equal(await count('lrs_statements', id), 0);
  });

  test('are deleted in parts before the account if all of its learners together have many', async () => {
    const parties = await makeParties(service);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { registration_id: id } = await register(service, parties, `learner ${n}`);
      await keep(id, { statements: MAX_ROWS - 50 });
      ids.push(id);
    }
    const sum = async () => {
      const counts = await Promise.all(ids.map((id) => count('lrs_statements', id)));
      return counts.reduce((total, each) => total + each, 0);
    };
    const path = `/accounts/${parties.account_id}`;
    assert.equal((await service.api.delete(path, { 'if-match': '"9"' })).status, 412);
    assert.equal(await sum(), 4 * (MAX_ROWS - 50), 'a refused deletion deletes nothing');
    {
      await using _broken = await breakTable(database, 'registrations', 'delete');
      assert.equal((await service.api.delete(path, { 'if-match': '"1"' })).status, 500);
    }
    const left = await sum();
    assert.ok(left > 0 && left <= MAX_ROWS, `${left} are left for the last transaction`);
    assert.equal(await lastAction(), 'ACCOUNT_DELETION_BEGUN');
    assert.equal((await service.api.delete(path)).status, 204);
    assert.equal(await sum(), 0);
    assert.equal(await lastAction(), 'ACCOUNT_DELETED');
  });

  test('are deleted once if two requests delete the registration at the same time', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await keep(id, { statements: 4 * MAX_ROWS });
    const responses = await Promise.all([1, 2].map(() => service.api.delete(`/registrations/${id}`)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404]);
    assert.equal(await count('lrs_statements', id), 0);
  });
});
