import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEndsByPeople } from '../../src/alerts/firings/firing-store.ts';
import { readAccountsHavingOneOf } from '../../src/content/account-content/account-content-store.ts';
import { withHolders } from '../../src/content/assets/holdings.ts';
import type {
  Database,
  NamedRow,
  Reader,
  RowsStatement,
  SqlValue,
  Transaction,
} from '../../src/database/database.ts';
import { readLearnerValueSizes } from '../../src/player/attempts/learner-value-store.ts';
import {
  hasStaleProfiles,
  selectLockedUsageOfLearner,
  selectUsageOfRegistration,
} from '../../src/player/lrs/documents/document-store.ts';
import { lockLeasedLines } from '../../src/queue/lines/lease-statements.ts';
import { readHeads } from '../../src/queue/lines/message-statements.ts';
import { readWaitingAgain } from '../../src/queue/lines/waiting-again.ts';
import { notePlacedDeadLetters } from '../../src/queue/sqs/sqs-statements.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { readMatchingWebhooks } from '../../src/webhooks/configuration/trigger-store.ts';
import { DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import { valuesOf, watchStatements } from '../support/query-plans.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

interface Asked {
  sql: string;
  values: SqlValue[];
}

/** A reader that records its statements. */
function listening(reader: Reader): { reader: Reader; asked: Asked[] } {
  const asked: Asked[] = [];
  const all = async <Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> => {
    asked.push({ sql, values });
    return await reader.all<Row>(sql, ...values);
  };
  const allFor = async <Row>(statement: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]> => {
    asked.push({ sql: statement.forOne, values: valuesOf(statement, rows.at(-1)!) });
    return await reader.allFor<Row>(statement, rows);
  };
  return { reader: { dialect: reader.dialect, query: reader.query, all, allFor }, asked };
}

/** Fails when a statement scans a table. It may scan the rows of its parameter, and must look up everything else. */
async function assertOnlyLooksUp(database: Database, asked: readonly Asked[]): Promise<void> {
  assert.ok(asked.length > 0);
  for (const { sql, values } of asked) {
    const plan = await database.reader.all<{ detail: string }>(`explain query plan ${sql}`, ...values);
    const walks = plan
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!json_each|climbing|above|\d|CONSTANT)/.test(detail));
    assert.deepEqual(walks, [], sql);
  }
}

describe('the statements of every event and delivery use an index', () => {
  const statements: Record<string, (reader: Reader) => Promise<unknown>> = {
    'matching an event': (reader) =>
      readMatchingWebhooks(reader, {
        subtopic: 'ACCOUNT_CREATED',
        accountId: 1,
        content: [{ type: 'COURSE', id: 1 }],
      }),
    'reading the lines of leases': (reader) => lockLeasedLines(reader, [{ lineId: 1, leaseToken: 'a' }]),
    'reading the heads of lines': (reader) => readHeads(reader, [1, 2]),
    'finding messages that wait again': (reader) => readWaitingAgain(reader, ['a', 'b']),
    'reading the targets of messages': async (reader) => {
      const targets = new DeliveryTargets({ reader, cipher: new CredentialsCipher(['s'.repeat(64)]) });
      await targets.read([1, 2]);
    },
    'finding what holds a course': (reader) => withHolders(reader, [{ type: 'COURSE', id: 1 }]),
  };

  for (const [name, ask] of Object.entries(statements)) {
    test(name, async () => {
      await using opened = await openSqliteFile();
      const { database } = opened;
      const { reader, asked } = listening(database.reader);
      await ask(reader);
      await assertOnlyLooksUp(database, asked);
    });
  }

  test('noting dead letters as copied', async () => {
    await using opened = await openSqliteFile();
    const watched = watchStatements(opened.database);
    await watched.database.transaction((tx) => notePlacedDeadLetters(tx, [{ position: 1, placeAt: 1 }]));
    const steps = (await watched.plans()).map(({ step }) => step);
    assert.ok(steps.length > 0);
    assert.deepEqual(
      steps.filter((step) => step.startsWith('SCAN')),
      [],
    );
  });

  test('matching an event uses all columns of the index, not the subtopic alone', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    const { reader, asked } = listening(database.reader);
    await statements['matching an event']!(reader);
    const plan = await database.reader.all<{ detail: string }>(
      `explain query plan ${asked[0]!.sql}`,
      ...asked[0]!.values,
    );
    const lookup = plan.map(({ detail }) => detail).find((detail) => detail.startsWith('SEARCH hit'));
    assert.match(lookup ?? '', /subtopic=\? AND focus_type=\? AND focus_id=\?/);
  });

  test('a page of the accounts that have an asset reads no others, and sorts none', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    const { reader, asked } = listening(database.reader);
    await readAccountsHavingOneOf(reader, [{ type: 'COURSE', id: 1 }], 0, 20);
    assert.equal(asked.length, 1);
    const [{ sql, values }] = asked as [Asked];
    const plan = await database.reader.all<{ detail: string }>(`explain query plan ${sql}`, ...values);
    const text = plan.map(({ detail }) => detail).join('; ');
    assert.match(
      text,
      /SEARCH account_contents USING COVERING INDEX \w+ \(content_type=\? AND content_id=\? AND account_id>\?\)/,
    );
    assert.doesNotMatch(text, /TEMP B-TREE FOR (ORDER|DISTINCT)/);
  });

  test('an alert about dead letters reads the firings that ended since a time, not all of its rule', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    const { reader, asked } = listening(database.reader);
    await readEndsByPeople(reader, 1, { since: 1, now: 2 });
    const plan = await database.reader.all<{ detail: string }>(
      `explain query plan ${asked[0]!.sql}`,
      ...asked[0]!.values,
    );
    const text = plan.map(({ detail }) => detail).join('; ');
    assert.match(text, /alert_firings_by_age \(ended_at>\? AND ended_at<\?\)/);
  });

  for (const [name, ask] of Object.entries({
    'finding profiles of learners without registrations': (reader: Reader) =>
      hasStaleProfiles(reader, { after: '', to: 'z' }),
    'reading what courses of a learner share': (reader: Reader) => readLearnerValueSizes(reader, 'x'),
  })) {
    test(`${name} looks registrations up by learner, not by account`, async () => {
      await using opened = await openSqliteFile();
      const { database } = opened;
      const { reader, asked } = listening(database.reader);
      await ask(reader);
      const plan = await database.reader.all<{ detail: string }>(
        `explain query plan ${asked[0]!.sql}`,
        ...asked[0]!.values,
      );
      const text = plan.map(({ detail }) => detail).join('\n');
      assert.match(text, /USING (?:COVERING )?INDEX registrations_by_learner \(learner_id=\?\)/);
      assert.doesNotMatch(text, /registrations_by_account/);
    });
  }

  for (const [name, count] of Object.entries({
    'the documents of an attempt': (tx: Transaction) => selectUsageOfRegistration(tx, 'r', 'r'),
    'the profiles of a learner': (tx: Transaction) =>
      selectLockedUsageOfLearner(tx, { accountId: 1, learnerId: 'ann' }),
  })) {
    test(`counting ${name} reads the index alone, not 256 MiB of documents`, async () => {
      await using opened = await openSqliteFile();
      const watched = watchStatements(opened.database);
      await watched.database.transaction(count);
      const steps = (await watched.plans()).map(({ step }) => step);
      assert.ok(steps.length > 0);
      for (const step of steps) assert.match(step, /USING COVERING INDEX \w+ \(\w+=\? AND \w+=\?\)/);
    });
  }
});
