import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, SqlValue } from '../../src/database/database.ts';
import type { ContentReference, ServiceEvent } from '../../src/events/event.ts';
import { BLOCK_EVENTS, deleteEventsBefore, EventBlocks } from '../../src/webhooks/events/event-blocks.ts';
import { KEY_FORMAT, keysOf } from '../../src/webhooks/events/event-keys.ts';
import { ALL_EVENTS, type EventSearch, searchEvents } from '../../src/webhooks/events/event-search.ts';
import { mayHaveKeys, toKeyFilter } from '../../src/webhooks/events/key-filter.ts';
import type { AnyResource, StoredEvent } from '../../src/webhooks/events/stored-event.ts';
import { RecordingPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { aroundTests } from '../support/around-tests.ts';
import { countRows, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { watchStatements } from '../support/query-plans.ts';
import { until } from '../support/until.ts';

const BEGIN = Date.UTC(2030, 0, 1);
/** Two full blocks, and some events after them. In descending order, some pages must end with a block, too. */
const EVENTS = 2 * BLOCK_EVENTS + 96;
const TOGETHER = 50;
/** With the first, some pages end with a block in either direction, and with the second, none does. */
const LIMITS = [32, 150];
const RARE_LEARNER = 701;

/** The time of an event: one per second. Once, the clock was set back for a while. */
function momentOf(n: number): number {
  return BEGIN + (n >= 300 && n < 400 ? n - 250 : n) * 1_000;
}

function eventNumber(n: number): ServiceEvent {
  const account = { id: 1 + (n % 3), name: 'Northwind', enabled: true };
  const course = {
    id: 1 + (n % 7),
    name: 'C',
    version_id: 0,
    learning_standard: 'SCORM_12',
    location: 'Home',
  };
  const shared = { accountId: account.id, content: [] };
  if (n % 10 === 0)
    return { ...shared, subtopic: 'ACCOUNT_CREATED', user: 'admin@example.com', resource: { account } };
  return {
    ...shared,
    content: n % 4 === 1 ? [{ type: 'EQUIVALENT', id: 9 }] : [],
    subtopic: 'REGISTRATION_LAUNCHED',
    user: `learner-${n % 400}`,
    resource: {
      account,
      content: { course },
      registration: {
        account_id: account.id,
        registration_id: `registration-${n}`,
        course_id: course.id,
        learner_id: n === RARE_LEARNER ? 'rare' : `learner-${n % 400}`,
      },
    },
  };
}

async function record(database: Database): Promise<void> {
  for (let from = 0; from < EVENTS; from += TOGETHER) {
    await database.transaction(async (tx) => {
      for (let n = from; n < Math.min(EVENTS, from + TOGETHER); n++) {
        const publisher = new RecordingPublisher({ now: () => momentOf(n) });
        await publisher.publish(tx, eventNumber(n));
      }
    });
  }
}

/** Makes blocks until there are so many. PostgreSQL first waits for the transactions that are open, those of others too. */
async function untilBlocks(database: Database, count: number): Promise<void> {
  await using blocks = new EventBlocks({ database, log: { warn: () => {} } });
  await until(async () => {
    await blocks.build();
    return (await countRows(database, 'event_blocks')) === count;
  }, `${count} blocks`);
}

/** All events that a search finds, page by page. */
async function findAll({ reader }: Database, search: Omit<EventSearch, 'limit'>, limit: number) {
  const found: StoredEvent[] = [];
  let next: number | null = null;
  do {
    const from: Partial<EventSearch> =
      next === null ? {} : search.direction === 'ascending' ? { after: next } : { before: next };
    const page = await searchEvents(reader, { ...search, ...from, limit });
    assert.ok(page.items.length <= limit);
    found.push(...page.items);
    next = page.next;
  } while (next !== null);
  return found;
}

describe('a search in the event log', () => {
  let opened: TestDatabase;
  let all: StoredEvent[];

  const searches: Record<string, Partial<EventSearch>> = {
    everything: {},
    'a frequent key': { keys: ['SREGISTRATION_LAUNCHED'] },
    'a key of a tenth': { keys: ['SACCOUNT_CREATED'] },
    'a rare key': { keys: ['Lrare'] },
    'a key that no event has': { keys: ['Lnobody'] },
    'the equivalent of registrations': { keys: ['E9'] },
    'two keys': { keys: ['A1', 'C3'] },
    'keys that never come together': { keys: ['SACCOUNT_CREATED', 'Lrare'] },
    'a time': { from: BEGIN + 100_500, to: BEGIN + 900_000 },
    'the time that came twice': { from: BEGIN + 50_000, to: BEGIN + 151_000 },
    'a time and a key': { from: BEGIN + 500_000, to: BEGIN + 800_000, keys: ['A2'] },
    'a time before all': { to: BEGIN },
    'ids after one and before another': { after: 400, before: 1_050 },
    'ids within a block': { after: 520, before: 530, keys: ['A1'] },
  };

  async function assertFound(): Promise<void> {
    for (const [name, given] of Object.entries(searches)) {
      for (const direction of ['ascending', 'descending'] as const) {
        const search = { ...ALL_EVENTS, ...given, direction };
        const expected = all
          .filter(
            ({ id, occurredAt }) =>
              id > search.after && id < search.before && occurredAt >= search.from && occurredAt < search.to,
          )
          .filter((event) => search.keys.every((key) => keysOf(event).includes(key)))
          .map(({ id }) => id);
        if (direction === 'descending') expected.reverse();
        for (const limit of LIMITS) {
          const found = await findAll(opened.database, search, limit);
          assert.deepEqual(
            found.map(({ id }) => id),
            expected,
            `${name}, ${direction}, by ${limit}`,
          );
        }
      }
    }
  }

  aroundTests(async (parts) => {
    opened = parts.use(await openTestDatabase());
    await record(opened.database);
    all = await findAll(opened.database, { ...ALL_EVENTS, direction: 'ascending' }, 200);
    assert.deepEqual(
      all.map(({ occurredAt }) => occurredAt),
      Array.from({ length: EVENTS }, (_, n) => momentOf(n)),
    );
  });

  test('finds the same before and after the events are in blocks', async () => {
    await assertFound();
    await untilBlocks(opened.database, 2);
    await assertFound();
  });

  test('finds the remaining events after old ones were removed', async () => {
    const { database } = opened;
    const moment = BEGIN + 620_000;
    let removed = 0;
    for (let step = 100; step === 100; removed += step)
      step = await database.transaction((tx) => deleteEventsBefore(tx, moment, 100));
    const old = all.filter(({ occurredAt }) => occurredAt < moment).length;
    assert.equal(removed, old);
    all = all.filter(({ occurredAt }) => occurredAt >= moment);
    await assertFound();
    await database.transaction((tx) => deleteEventsBefore(tx, BEGIN * 2, EVENTS));
    all = [];
    await assertFound();
    assert.equal(await countRows(database, 'event_blocks'), 0);
  });
});

describe('a log of many blocks', () => {
  const BLOCKS = 1_000;
  const HOUR = 3_600_000;

  /** A block for each hour, and one event in the last one. */
  async function openLog(): Promise<TestDatabase> {
    const opened = await openTestDatabase();
    await opened.database.transaction(async (tx) => {
      await new RecordingPublisher({ now: () => BEGIN + (BLOCKS - 1) * HOUR }).publish(tx, eventNumber(1));
      await tx.run('update events set id = ?', BLOCKS);
      await tx.insertMany(
        'event_blocks',
        ['last_id', 'first_at', 'last_at', 'keys'],
        Array.from({ length: BLOCKS }, (_, n) => [n + 1, BEGIN + n * HOUR, BEGIN + (n + 1) * HOUR - 1, '']),
      );
    });
    return opened;
  }

  for (const direction of ['ascending', 'descending'] as const)
    test(`is searched from a time on without reading the blocks before it, ${direction}`, async () => {
      await using opened = await openLog();
      const { reader } = opened.database;
      let blocks = 0;
      const counting: typeof reader = {
        ...reader,
        all: async <Row>(statement: string, ...values: SqlValue[]) => {
          const rows = await reader.all<Row>(statement, ...values);
          if (statement.includes('keys')) blocks += rows.length;
          return rows;
        },
        allFor: (...given) => reader.allFor(...given),
      };
      const from = BEGIN + (BLOCKS - 1) * HOUR;
      const search = { ...ALL_EVENTS, from, direction, limit: 10 };
      const { items, next } = await searchEvents(counting, search);
      assert.deepEqual([items.map(({ id }) => id), next], [[BLOCKS], null]);
      assert.equal(blocks, 1);
    });

  test('is searched from a time on that no block has reached', async () => {
    await using opened = await openLog();
    const search = { ...ALL_EVENTS, from: BEGIN + BLOCKS * HOUR, direction: 'ascending', limit: 10 } as const;
    const { items, next } = await searchEvents(opened.database.reader, search);
    assert.deepEqual([items, next], [[], null]);
  });

  test('is cleaned without reading the blocks that are kept', { skip: ON_POSTGRES }, async () => {
    await using opened = await openLog();
    const watched = watchStatements(opened.database);
    await watched.database.transaction(async (tx) => {
      assert.equal(await deleteEventsBefore(tx, BEGIN, 100), 0);
    });
    const steps = (await watched.plans()).filter(({ statement }) => statement.includes('first_at < ?'));
    assert.deepEqual(
      steps.map(({ step }) => step),
      ['SEARCH event_blocks USING COVERING INDEX event_blocks_by_first (first_at<?)'],
    );
  });
});

describe('events that are committed out of the order of their ids', { skip: !ON_POSTGRES }, () => {
  test('are summarized in blocks once no earlier event can still appear', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const late = Promise.withResolvers<void>();
    const hasId = Promise.withResolvers<void>();
    const slow = database.transaction(async (tx) => {
      await new RecordingPublisher({ now: () => BEGIN }).publish(tx, eventNumber(RARE_LEARNER));
      hasId.resolve();
      await late.promise;
    });
    await hasId.promise;
    await record(database);
    await using blocks = new EventBlocks({ database, log: { warn: () => {} } });
    for (let round = 0; round < 3; round++) await blocks.build();
    assert.equal(await countRows(database, 'event_blocks'), 0, 'an event with a smaller id may follow');
    late.resolve();
    await slow;
    await untilBlocks(database, 2);
    const found = await findAll(database, { ...ALL_EVENTS, keys: ['Lrare'], direction: 'ascending' }, 200);
    assert.equal(found.length, 2);
  });

  test('are awaited, however late their transactions began', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const late = Promise.withResolvers<void>();
    const first = Promise.withResolvers<void>();
    const hasBegun = Promise.withResolvers<void>();
    const many = database.transaction(async (tx) => {
      await tx.all('select pg_current_xact_id()::text');
      hasBegun.resolve();
      await first.promise;
      const publisher = new RecordingPublisher({ now: () => BEGIN });
      await publisher.publish(tx, ...Array.from({ length: BLOCK_EVENTS }, (_, n) => eventNumber(n)));
    });
    await hasBegun.promise;
    const slow = database.transaction(async (tx) => {
      await new RecordingPublisher({ now: () => BEGIN }).publish(tx, eventNumber(RARE_LEARNER));
      first.resolve();
      await late.promise;
    });
    await many;
    await using blocks = new EventBlocks({ database, log: { warn: () => {} } });
    for (let round = 0; round < 3; round++) await blocks.build();
    const early = await countRows(database, 'event_blocks');
    late.resolve();
    await slow;
    assert.equal(early, 0, 'an event with a smaller id may follow');
    await untilBlocks(database, 1);
    const found = await findAll(database, { ...ALL_EVENTS, keys: ['Lrare'], direction: 'ascending' }, 200);
    assert.equal(found.length, 1);
  });
});

describe('a block that an earlier release summarized', () => {
  test('is known by the format of its keys, which changes with the kinds of keys', () => {
    const account = { id: 1, name: 'Northwind', enabled: true };
    const course = { id: 2, name: 'C', version_id: 0, learning_standard: 'SCORM_12', location: 'Home' };
    const bundle = { id: 3, name: 'B', location: 'Home' };
    const folder = {
      id: 4,
      name: 'F',
      location: 'Home',
      contents: (['COURSE', 'EQUIVALENT', 'BUNDLE'] as const).map((type) => ({ type, id: 5, name: type })),
    };
    const registration = { account_id: 1, registration_id: 'r', course_id: 2, learner_id: 'l' };
    const equivalent = { type: 'EQUIVALENT', id: 6 } as const;
    const around = (['COURSE', 'FOLDER', 'BUNDLE', 'EQUIVALENT'] as const).map((type) => ({ type, id: 7 }));
    const kindsOf = (resource: AnyResource, focused: ContentReference[] = around) => {
      const keys = keysOf({ subtopic: 'ACCOUNT_CREATED', user: 'u', resource, focused });
      return keys.map((key) => key[0]).join('');
    };
    const kinds = {
      account: kindsOf({ account }, []),
      content: kindsOf({ account, content: { course, folder, bundle } }),
      course: kindsOf({ content: { course } }),
      registration: kindsOf({ account, content: { course }, registration }),
      ofEquivalent: kindsOf({ account, content: { course }, registration }, [equivalent, ...around]),
    };
    assert.deepEqual(
      { format: KEY_FORMAT, ...kinds },
      {
        format: 2,
        account: 'SUA',
        content: 'SUACEB',
        course: 'SUC',
        registration: 'SUACRL',
        ofEquivalent: 'SUACERL',
      },
      'Raise KEY_FORMAT with the kinds of keys, because stored summaries lack the new ones',
    );
  });

  test('hides no event of a registration for an equivalent, whose key that release did not know', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await record(database);
    const all = await findAll(database, { ...ALL_EVENTS, direction: 'ascending' }, 200);
    const summarized = all.slice(0, BLOCK_EVENTS);
    const known = new Set(summarized.flatMap(keysOf).filter((key) => !key.startsWith('E')));
    await database.transaction((tx) =>
      tx.run(
        'insert into event_blocks (last_id, first_at, last_at, keys) values (?, ?, ?, ?)',
        summarized.at(-1)!.id,
        momentOf(0),
        momentOf(EVENTS),
        toKeyFilter(known),
      ),
    );
    for (const keys of [['E9'], ['E9', 'A1']]) {
      const found = await findAll(database, { ...ALL_EVENTS, keys, direction: 'ascending' }, 200);
      assert.deepEqual(
        found.map(({ id }) => id),
        all.filter((event) => keys.every((key) => keysOf(event).includes(key))).map(({ id }) => id),
      );
    }
  });
});

describe('a filter of keys', () => {
  test('matches all of its keys, and few others', () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `Rregistration-${n}`);
    const filter = toKeyFilter(new Set(keys));
    for (const key of keys) assert.ok(mayHaveKeys(filter, [key]), key);
    const others = Array.from({ length: 20_000 }, (_, n) => `Llearner-${n}`);
    const mistaken = others.filter((key) => mayHaveKeys(filter, [key])).length;
    assert.ok(mistaken < 60, `${mistaken} of ${others.length} others`);
  });

  test('never changes, because it is stored', () => {
    assert.equal(toKeyFilter(new Set(['A1', 'Lada', 'SACCOUNT_CREATED'])), 'IEgW9Ypu');
  });
});
