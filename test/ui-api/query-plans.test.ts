import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { hasRegistrations, readRegistrations } from '../../src/content/registrations/registration-store.ts';
import type { NamedRow, Reader, RowsStatement, SqlValue } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { kyselyOverSqlite, Statements } from '../../src/database/sqlite/kysely-node-sqlite.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { addFunctions } from '../../src/database/sqlite/sqlite-functions.ts';
import { listClients } from '../../src/ui-api/clients/client-list.ts';
import { listAccounts } from '../../src/ui-api/content/account-list.ts';
import { listBundles, listCourses, listEquivalents } from '../../src/ui-api/content/content-list.ts';
import { listRegistrations } from '../../src/ui-api/content/registration-list.ts';
import { readRetrying } from '../../src/ui-api/dashboard/dashboard-store.ts';
import { listDeadLetters } from '../../src/ui-api/webhooks/dead-letter-list.ts';
import { listWebhooks } from '../../src/ui-api/webhooks/webhook-list.ts';
import { countByStatus } from '../../src/webhooks/history/by-status.ts';
import { readDeliveryPage } from '../../src/webhooks/history/delivery-page-store.ts';
import { countDeadLettersFrom } from '../../src/webhooks/history/delivery-store.ts';
import { readRedeliverable } from '../../src/webhooks/history/redeliverable-store.ts';
import { readMostFailing, readTrend } from '../../src/webhooks/trends/trend-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Asked {
  sql: string;
  values: readonly SqlValue[];
}

/**
 * Checks the plans of the embedded engine for the lists, because it runs them on the thread that does everything else.
 */
describe('the cost of a page of a list depends only on its size', () => {
  const stack = new AsyncDisposableStack();
  let connection: DatabaseSync;
  let reader: Reader;
  let asked: Asked[] = [];

  before(async () => {
    const file = path.join(stack.use(temporaryFolder()).path, 'test.db');
    await migrate(stack.use(new SqliteDatabase(file)), Date.now);
    connection = stack.adopt(new DatabaseSync(file), (opened) => opened.close());
    addFunctions(connection);
    const statements = new Statements(connection);
    reader = {
      dialect: 'sqlite',
      query: kyselyOverSqlite(statements, ({ sql, parameters }, execute) => {
        asked.push({ sql, values: parameters as readonly SqlValue[] });
        return execute();
      }),
      all: async <Row>(sql: string, ...values: SqlValue[]) => {
        asked.push({ sql, values });
        return statements.all(sql, values) as Row[];
      },
      // Only the subjects of a page's messages are read row by row, by id.
      allFor: async <Row>({ forOne, columns }: RowsStatement, rows: readonly NamedRow[]) => {
        assert.deepEqual(columns, ['id'], 'lists are read by one statement');
        return rows.flatMap((row) => statements.all(forOne, [row.id!]) as Row[]);
      },
    };
  });
  after(() => stack.disposeAsync());

  /** The steps of each statement's plan. */
  async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string[]> {
    asked = [];
    await read(reader);
    return asked.map(({ sql, values }) => {
      const steps = connection.prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[];
      return steps.map(({ detail }) => detail).join('; ');
    });
  }

  const byName = { sort: 'name', direction: 'asc', limit: 50, offset: 100 } as const;
  const all = { search: null, folderId: null, recursive: false };
  const everything = {
    accountId: null,
    courseId: null,
    equivalentId: null,
    learnerId: null,
    search: null,
    status: null,
  };
  const pages: Record<string, [index: RegExp, read: (reader: Reader) => Promise<unknown>]> = {
    webhooks: [
      /webhooks USING INDEX webhooks_by_name/,
      (from) => listWebhooks(from, { search: null, topic: null, state: null }, byName, 0),
    ],
    courses: [
      /courses USING COVERING INDEX courses_by_name/,
      (from) => listCourses(from, { ...all, learningStandard: null }, byName),
    ],
    equivalents: [
      /equivalents USING INDEX equivalents_by_name/,
      (from) => listEquivalents(from, all, byName),
    ],
    bundles: [/bundles USING INDEX bundles_by_name/, (from) => listBundles(from, all, byName)],
    accounts: [
      /accounts USING INDEX accounts_by_name/,
      (from) => listAccounts(from, { search: null, enabled: null }, byName),
    ],
    'API clients': [
      /api_clients USING INDEX api_clients_by_name/,
      (from) => listClients(from, { search: null, state: null }, byName),
    ],
    'accounts that are searched': [
      /accounts USING INDEX accounts_by_name/,
      (from) => listAccounts(from, { search: 'Ä', enabled: null }, byName),
    ],
    registrations: [
      /SCAN registrations/,
      (from) => listRegistrations(from, everything, { ...byName, sort: 'created', direction: 'desc' }),
    ],
    'registrations in progress': [
      /SCAN registrations/,
      (from) =>
        listRegistrations(
          from,
          { ...everything, status: 'in_progress' },
          { ...byName, sort: 'created', direction: 'desc' },
        ),
    ],
    'a course’s registrations in progress': [
      /registrations USING INDEX registrations_by_course/,
      (from) =>
        listRegistrations(
          from,
          { ...everything, courseId: 1, status: 'in_progress' },
          { ...byName, sort: 'created', direction: 'desc' },
        ),
    ],
    'a webhook’s chart': [
      /webhook_trends USING .*\(webhook_id=\? AND width_ms=\? AND start_at>\?\)/,
      (from) => readTrend(from, 1, 60_000, 0),
    ],
    'retried messages': [/deliveries USING INDEX deliveries_retrying/, (from) => readRetrying(from, 20)],
  };
  for (const [name, [index, read]] of Object.entries(pages)) {
    test(`${name} are read in index order, not sorted`, async () => {
      const [page] = await plansOf(read);
      assert.match(page ?? '', index);
      assert.doesNotMatch(page ?? '', /TEMP B-TREE/);
    });
  }

  test('registrations of few learners are found by the beginning of the learner’s id', async () => {
    const filter = { ...everything, search: 'Ädä' };
    const plans = await plansOf((from) =>
      listRegistrations(from, filter, { ...byName, sort: 'created', direction: 'desc' }),
    );
    assert.equal(plans.length, 2);
    for (const plan of plans) {
      assert.match(plan, /registrations USING (COVERING )?INDEX registrations_by_learner_key/);
      assert.doesNotMatch(plan, /SCAN registrations/);
    }
  });

  test('registrations of a learner are found by the learner, not among all of the account, course or equivalent', async () => {
    const part = { ...byName, sort: 'updated', direction: 'desc' } as const;
    const owners = { accountId: 1, courseId: 1, equivalentId: 1 };
    const ofLearner = { ...everything, ...owners, learnerId: 'ann' };
    const plans = [
      ...(await plansOf((from) => readRegistrations(from, ofLearner, { after: 1, limit: 10 }))),
      ...(await plansOf((from) => listRegistrations(from, ofLearner, part))),
      ...(await plansOf((from) =>
        listRegistrations(from, { ...everything, ...owners, search: 'ann' }, part),
      )),
    ];
    assert.ok(plans.length >= 4);
    for (const plan of plans) {
      assert.match(plan, /SEARCH registrations USING (COVERING )?INDEX registrations_by_learner/);
      assert.doesNotMatch(plan, /registrations_by_(account|course|equivalent)/);
    }
  });

  test('registrations of an account are not searched among all learners whose ids begin alike, if these are many', async () => {
    connection.exec(`insert into registrations (registration_id, account_id, course_id, version_id, learner_id,
        completion, success, duration, revision, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n <= 10000)
      select 'r' || n, 7, 7, 1, 'many ' || n, 'Incomplete', 'UNKNOWN', 0, 1, 0, 0 from numbers`);
    const part = { ...byName, sort: 'created', direction: 'desc' } as const;
    const filter = { ...everything, accountId: 1, search: 'many' };
    const [looked, ...plans] = await plansOf((from) => listRegistrations(from, filter, part));
    connection.exec('delete from registrations');
    assert.match(looked ?? '', /COVERING INDEX registrations_by_learner_key/);
    assert.equal(plans.length, 2);
    for (const plan of plans) assert.match(plan, /registrations USING INDEX registrations_by_account \(/);
  });

  test('registrations of an account for a course are counted and listed by an index of both', async () => {
    const filter = { ...everything, accountId: 1, courseId: 1 };
    const plans = [
      ...(await plansOf((from) => readRegistrations(from, filter, { after: 1, limit: 10 }))),
      ...(await plansOf((from) =>
        listRegistrations(from, filter, { ...byName, sort: 'created', direction: 'desc' }),
      )),
    ];
    assert.equal(plans.length, 3);
    for (const plan of plans) {
      assert.match(plan, /registrations USING (COVERING )?INDEX \w+ \(account_id=\? AND course_id=\?/);
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    }
    const sorted = await plansOf((from) =>
      listRegistrations(from, filter, { ...byName, sort: 'updated', direction: 'desc' }),
    );
    assert.equal(sorted.length, 2);
    for (const plan of sorted) assert.match(plan, /INDEX \w+ \(account_id=\? AND course_id=\?\)/);
  });

  test('registrations of an equivalent are counted, listed and looked for by an index of their own', async () => {
    const filter = { ...everything, equivalentId: 1 };
    const plans = [
      ...(await plansOf((from) => readRegistrations(from, filter, { after: 1, limit: 10 }))),
      ...(await plansOf((from) => hasRegistrations(from, 'equivalent_id', 1))),
      ...(await plansOf((from) =>
        listRegistrations(from, filter, { ...byName, sort: 'created', direction: 'desc' }),
      )),
    ];
    assert.equal(plans.length, 4);
    for (const plan of plans) {
      assert.match(plan, /registrations USING (COVERING )?INDEX registrations_by_equivalent/);
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    }
  });

  test('registrations with a status that few have are counted by the scan that finds their page', async () => {
    const part = { sort: 'created', direction: 'desc', limit: 50, offset: 0 } as const;
    const plans = await plansOf((from) => listRegistrations(from, { ...everything, status: 'failed' }, part));
    assert.deepEqual(plans, ['SCAN registrations']);
  });

  test('registrations of an account are sorted without their names', async () => {
    const part = { ...byName, sort: 'updated', direction: 'desc' } as const;
    const plans = await plansOf((from) => listRegistrations(from, { ...everything, accountId: 1 }, part));
    assert.equal(plans.length, 2);
    for (const plan of plans) assert.doesNotMatch(plan, / (accounts|courses|equivalents) /);
  });

  test('counting webhooks reads no other table', async () => {
    const plans = await plansOf(pages.webhooks![1]);
    assert.doesNotMatch(plans[1] ?? 'no plan', /queue_lines|webhook_statistics|no plan/);
  });

  test('dead letters are found by age, those of a webhook by its own index', async () => {
    const part = { sort: 'dead_lettered', direction: 'desc', limit: 50, offset: 0 } as const;
    const all = { search: null, webhookId: null, deliveries: {} };
    const after = { updatedAt: 1_000, id: 1 };
    const [, page] = await plansOf((from) => listDeadLetters(from, { ...all, after: null }, part));
    assert.match(page ?? '', /deliveries USING (COVERING )?INDEX deliveries_dead_by_age/);
    const [, ofOne] = await plansOf((from) =>
      listDeadLetters(from, { ...all, webhookId: 1, after: null }, part),
    );
    assert.match(ofOne ?? '', /deliveries USING COVERING INDEX deliveries_dead_by_webhook \(webhook_id=\?\)/);
    const [, older] = await plansOf((from) => listDeadLetters(from, { ...all, after }, part));
    assert.match(older ?? '', /deliveries_dead_by_age \(updated_at<\?\)/);
    const [, olderOfOne] = await plansOf((from) =>
      listDeadLetters(from, { ...all, webhookId: 1, after }, part),
    );
    assert.match(olderOfOne ?? '', /deliveries_dead_by_webhook \(webhook_id=\? AND updated_at<\?\)/);
  });

  test('dead letters of webhooks that are searched by name are merged in index order, with a filter or without', async () => {
    connection.exec(`insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, enabled,
        max_attempts, logging_mode, revision, created_at, updated_at)
      select value, 'Searched', 'ACCOUNT', 1, 'http://127.0.0.1/', 'NONE', 1, 1, 'ALL', 1, 0, 0
      from json_each('[71, 72]');
      insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
      select value, 'searched ' || value, 'X', 'DEAD_LETTERED', '{}', 1, 1, 1 from json_each('[71, 72]')`);
    const part = { sort: 'dead_lettered', direction: 'desc', limit: 50, offset: 0 } as const;
    for (const deliveries of [{}, { subtopics: ['X'] }]) {
      const plans = await plansOf((from) =>
        listDeadLetters(from, { search: 'Searched', webhookId: null, deliveries, after: null }, part),
      );
      const reading = plans.filter((plan) => plan.includes('UNION'));
      assert.ok(reading.length > 1);
      for (const plan of reading) {
        assert.match(plan, /deliveries USING (COVERING )?INDEX deliveries_dead_by_webhook \(webhook_id=\?/);
        assert.doesNotMatch(plan, /UNION USING TEMP B-TREE|deliveries_dead_by_age/);
      }
      for (const plan of reading.filter((each) => !each.includes('COMPOUND')))
        assert.match(plan, /MERGE \(UNION ALL\)/);
    }
  });

  test('a webhook’s deliveries are read from its list, followed by those not yet listed', async () => {
    for (const filter of [{}, { statuses: ['DELIVERED'] }] as const) {
      const page = { limit: 50, after: 1_000 };
      const plans = await plansOf((from) => readDeliveryPage(from, { webhookId: 1, filter, page }));
      const [, unlisted, listed] = plans;
      assert.match(unlisted ?? '', /SEARCH deliveries USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/);
      assert.match(
        listed ?? '',
        /^SEARCH listed USING PRIMARY KEY \(webhook_id=\? AND delivery_id<\?\); SEARCH deliveries USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      );
    }
  });

  test('a webhook’s undelivered messages are found by an index of those alone', async () => {
    const undelivered = ['RETRYING', 'DEAD_LETTERED'] as const;
    const [plan] = await plansOf((from) =>
      readDeliveryPage(from, {
        webhookId: 1,
        filter: { statuses: undelivered },
        page: { limit: 50, after: null },
      }),
    );
    assert.match(
      plan ?? '',
      /SEARCH deliveries USING COVERING INDEX deliveries_undelivered \(webhook_id=\? AND status=\?\)/,
    );
    assert.doesNotMatch(plan ?? '', /TEMP B-TREE/);
    const [counted] = await plansOf((from) =>
      countByStatus(from, { webhookId: 1, statuses: undelivered, bounds: [], limit: 100 }),
    );
    assert.match(counted ?? '', /deliveries USING (COVERING )?INDEX deliveries_undelivered/);
    const again = await plansOf((from) =>
      readRedeliverable(from, {
        webhookId: 1,
        filter: { statuses: ['DEAD_LETTERED', 'DISCARDED'], withoutManualDiscards: true },
        page: { limit: 100, after: 1 },
      }),
    );
    assert.ok(again.length > 0);
    for (const each of again) {
      assert.match(
        each,
        /SEARCH deliveries USING (COVERING )?INDEX deliveries_undelivered \(webhook_id=\? AND status=\? AND id>\?/,
      );
      assert.doesNotMatch(each, /TEMP B-TREE/);
    }
  });

  test('the dead letters that further steps examine are counted webhook by webhook, not by age', async () => {
    const plans = [
      ...(await plansOf((from) =>
        countByStatus(from, {
          webhookId: 1,
          statuses: ['DEAD_LETTERED'],
          bounds: [['>', 1]],
          filter: { updatedUntil: 1 },
          limit: 100,
        }),
      )),
      ...(await plansOf((from) =>
        countDeadLettersFrom(from, { from: 2, until: 1, activeOnly: true, bound: 100 }),
      )),
    ];
    assert.match(plans[0] ?? '', /deliveries_undelivered \(webhook_id=\? AND status=\? AND id>\?\)/);
    assert.match(
      plans[1] ?? '',
      /webhooks USING INTEGER PRIMARY KEY \(rowid>\?\); SEARCH deliveries USING COVERING INDEX deliveries_dead_by_webhook/,
    );
  });

  test('failing webhooks are counted from an index of failures alone', async () => {
    const [plan] = await plansOf((from) => readMostFailing(from, { since: 0, until: 1 }, 20));
    assert.match(plan ?? '', /webhook_trends USING COVERING INDEX webhook_trends_failing/);
  });
});
