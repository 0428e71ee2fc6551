import { describe, test } from 'node:test';
import { type AuditFilter, readAuditEntries } from '../../src/audit/audit-store.ts';
import {
  hasRegistrations,
  lockRegistrationsFrom,
  readRegistrations,
} from '../../src/content/registrations/registration-store.ts';
import type { Transaction } from '../../src/database/database.ts';
import { selectPlaceAt, selectStatements } from '../../src/player/lrs/statements/statement-search-store.ts';
import {
  selectStatementSizes,
  selectStatementsOfRegistration,
} from '../../src/player/lrs/statements/statement-store.ts';
import { listRegistrations, type RegistrationFilter } from '../../src/ui-api/content/registration-list.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts, type PostgresParts } from '../support/postgres-helpers.ts';
import { assertReadsFewRows } from '../support/rows-read.ts';

// Needs a process of its own: another test would get this database, with its statistics.

/**
 * One account, course, equivalent, registration, object and person have nearly all rows, and the server's statistics say
 * so. See the test of webhooks.
 */

const BUSY = 1;
/** The rows of one quiet owner are before those of the busy owner, the rows of the other one after them. */
const EARLY = 2;
const LATE = 3;
/** Enough that the server distinguishes the costs of its plans. */
const ROWS = 20_000;
const QUIET_ROWS = 4;
const PAGE = { limit: 20, after: null };
const EVERYTHING = { since: null, until: null, ascending: true, after: null };

interface Rows {
  from: number;
  to: number;
}

/** Fills a new database. */
async function fill({ database }: PostgresParts): Promise<void> {
  await database.transaction(async (tx) => {
    await insertRows(tx, BUSY, { from: QUIET_ROWS + 1, to: ROWS });
    // A sample of a million rows contains none of the quiet owners.
    for (const table of ['registrations', 'lrs_statements', 'lrs_statement_index', 'audit_entries'])
      await tx.run(`analyze ${table}`);
    await insertRows(tx, EARLY, { from: 1, to: QUIET_ROWS });
    await insertRows(tx, LATE, { from: ROWS + 1, to: ROWS + QUIET_ROWS });
  });
}

async function insertRows(tx: Transaction, owner: number, { from, to }: Rows): Promise<void> {
  await tx.run(
    `insert into registrations (number, registration_id, account_id, course_id, version_id, equivalent_id, learner_id,
       completion, success, duration, revision, created_at, updated_at)
     select n, 'registration ' || n, given.id, given.id, 1, given.id, 'learner ' || n, 'Incomplete', 'UNKNOWN', 0, 1, n, n
     from (select ?::bigint as id) as given cross join generate_series(?::int, ?::int) as n`,
    ...[owner, from, to],
  );
  await tx.run(
    `insert into lrs_statements (id, statement_id, registration_id, is_voiding, is_voided, stored_at, statement)
     select n, 'statement ' || n, 'registration ' || ?::int, 0, 0, n, '{}' from generate_series(?::int, ?::int) as n`,
    ...[from, from, to],
  );
  await tx.run(
    `insert into lrs_statement_index (kind, term, stored_at, statement)
     select 'launch', 'term ' || ?::int, n, n from generate_series(?::int, ?::int) as n`,
    ...[owner, from, to],
  );
  await tx.run(
    `insert into audit_entries (id, occurred_at, actor_type, actor_user, action, object_type, object_id, changes, details)
     select n, n, 'ADMINISTRATOR', 'user ' || given.id, 'A', 'ACCOUNT', 'object ' || given.id, '[]', '{}'
     from (select ?::bigint as id) as given cross join generate_series(?::int, ?::int) as n`,
    ...[owner, from, to],
  );
}

/** The number of an owner's first row. */
function firstOf(owner: number): number {
  return { [BUSY]: QUIET_ROWS + 1, [EARLY]: 1, [LATE]: ROWS + 1 }[owner]!;
}

const registrations: RegistrationFilter = {
  accountId: null,
  courseId: null,
  equivalentId: null,
  learnerId: null,
  search: null,
  status: null,
};
const FILTERS: Record<string, (owner: number) => Partial<RegistrationFilter>> = {
  'an account': (owner) => ({ accountId: owner }),
  'a course': (owner) => ({ courseId: owner }),
  'an equivalent': (owner) => ({ equivalentId: owner }),
  'a learner': (owner) => ({ learnerId: `learner ${firstOf(owner)}` }),
  'a learner in a busy account and course': (owner) => ({
    accountId: BUSY,
    courseId: BUSY,
    learnerId: `learner ${firstOf(owner)}`,
  }),
};
const AUDITED: AuditFilter = {
  user: null,
  actorType: null,
  actions: null,
  objectType: null,
  objectId: null,
  from: null,
  to: null,
};

const READS: Record<string, (tx: Transaction, owner: number) => Promise<unknown>> = {
  'looking for registrations of a course': (tx, owner) => hasRegistrations(tx, 'course_id', owner),
  'looking for registrations of an equivalent': (tx, owner) => hasRegistrations(tx, 'equivalent_id', owner),
  'locking the registrations of an account': (tx, owner) =>
    lockRegistrationsFrom(tx, owner, { from: 1, limit: 20 }),
  'reading the statements of a registration': (tx, owner) =>
    selectStatementsOfRegistration(tx, `registration ${firstOf(owner)}`, PAGE),
  'reading the sizes of the statements of a registration': (tx, owner) =>
    selectStatementSizes(tx, `registration ${firstOf(owner)}`, PAGE),
  'finding where a search of statements ends': (tx, owner) =>
    selectPlaceAt(tx, { kind: 'launch', term: `term ${owner}` }, EVERYTHING, 10),
  'searching statements': (tx, owner) =>
    selectStatements(tx, {
      ...EVERYTHING,
      terms: [{ kind: 'launch', term: `term ${owner}` }],
      through: null,
      limit: 20,
    }),
  'reading the audit entries of an object': (tx, owner) =>
    readAuditEntries(
      tx,
      { ...AUDITED, objectType: 'ACCOUNT', objectId: `object ${owner}` },
      { before: Number.MAX_SAFE_INTEGER, limit: 20, examined: 50 },
    ),
  'reading the audit entries of a person': (tx, owner) =>
    readAuditEntries(
      tx,
      { ...AUDITED, user: `user ${owner}` },
      { before: Number.MAX_SAFE_INTEGER, limit: 20, examined: 50 },
    ),
};
for (const [of, filter] of Object.entries(FILTERS)) {
  READS[`reading the registrations of ${of}`] = (tx, owner) =>
    readRegistrations(tx, { ...registrations, ...filter(owner) }, PAGE);
  for (const sort of ['created', 'updated'] as const)
    for (const direction of ['asc', 'desc'] as const)
      READS[`listing the registrations of ${of}, ${sort} ${direction}`] = (tx, owner) =>
        listRegistrations(
          tx,
          { ...registrations, ...filter(owner) },
          { sort, direction, limit: 20, offset: 0 },
        );
}

describe('PostgreSQL does not scan the thousands of rows of another owner', {
  skip: !ON_POSTGRES,
}, () => {
  let opened: PostgresParts;
  aroundTests(async (parts) => {
    opened = parts.use(await openPostgresParts());
    await fill(opened);
  });

  for (const [name, read] of Object.entries(READS)) {
    test(`when ${name} before them`, () => assertReadsFewRows(opened.database, (tx) => read(tx, EARLY)));
    test(`when ${name} behind them`, () => assertReadsFewRows(opened.database, (tx) => read(tx, LATE)));
  }
});
