import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import {
  availableSubtopics,
  CONTENT_TYPES,
  FOCUS_TYPES_OF_TOPIC,
  type FocusType,
  SUBTOPICS,
  type Subtopic,
  TOPICS,
} from '../../src/events/catalogue.ts';
import type { ContentReference } from '../../src/events/event.ts';
import { readMatchingWebhooks } from '../../src/webhooks/configuration/trigger-store.ts';
import type { WebhookInput } from '../../src/webhooks/configuration/webhook-schemas.ts';
import type { WebhookService } from '../../src/webhooks/configuration/webhook-service.ts';
import { unmatchedReason } from '../../src/webhooks/events/event-matching.ts';
import { readWebhookFits } from '../../src/webhooks/events/matching-store.ts';
import { readMatcher } from '../../src/webhooks/events/replay-matcher.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { webhookServiceOn } from './webhook-service.ts';

/**
 * The number of random series of changes and events. On PostgreSQL each takes several times as long. Far fewer run
 * every statement and every pair of successive statements.
 */
const SERIES = ON_POSTGRES ? 30 : 200;
/** Far below what chance gives, far above what proves nothing. */
const FEWEST_HITS = SERIES / 10;
/** Few assets, so that events and focuses meet often. */
const assetId = fc.integer({ min: 1, max: 3 });

interface Event {
  subtopic: Subtopic;
  accountId: number | null;
  content: ContentReference[];
}

/** A change of the webhooks: `index` picks an existing one. */
type Change =
  | { kind: 'create'; input: WebhookInput }
  | { kind: 'update'; index: number; input: WebhookInput }
  | { kind: 'delete'; index: number };

const inputs: fc.Arbitrary<WebhookInput> = fc.constantFrom(...TOPICS).chain((topic) =>
  fc
    .uniqueArray(
      fc.record({
        webhook_focus_type: fc.constantFrom(...FOCUS_TYPES_OF_TOPIC[topic]),
        webhook_focus_id: assetId,
      }),
      { maxLength: 4, selector: (each) => `${each.webhook_focus_type} ${each.webhook_focus_id}` },
    )
    .chain((focus) => {
      const available = availableSubtopics(
        topic,
        focus.map((each) => each.webhook_focus_type),
      );
      return fc.record(
        {
          name: fc.constantFrom('a', 'b'),
          topic: fc.constant(topic),
          target_url: fc.constantFrom('http://127.0.0.1:9/a', 'http://127.0.0.1:9/b'),
          focus: fc.constant(focus),
          subtopics: fc.uniqueArray(fc.constantFrom(...available), { minLength: 1 }),
          enabled: fc.boolean(),
          max_attempts: fc.integer({ min: 1, max: 3 }),
          logging_mode: fc.constantFrom('NONE' as const, 'FULL' as const),
        },
        { requiredKeys: ['name', 'topic', 'target_url', 'focus'] },
      );
    }),
);

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), input: inputs }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('update' as const), index: fc.nat(), input: inputs }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), index: fc.nat() }) },
);

const events: fc.Arbitrary<Event> = fc.record({
  subtopic: fc.constantFrom(...SUBTOPICS),
  accountId: fc.option(assetId),
  content: fc.uniqueArray(fc.record({ type: fc.constantFrom(...CONTENT_TYPES), id: assetId }), {
    maxLength: 4,
    selector: ({ type, id }) => `${type} ${id}`,
  }),
});

/** The rule in plain words, with focuses of several types. */
function matches(input: WebhookInput, event: Event): boolean {
  if (input.enabled === false) return false;
  const focus = input.focus ?? [];
  const types = focus.map((each): FocusType => each.webhook_focus_type);
  const subtopics: readonly Subtopic[] = input.subtopics ?? availableSubtopics(input.topic, types);
  if (!subtopics.includes(event.subtopic)) return false;
  const accounts = focus.filter((each) => each.webhook_focus_type === 'ACCOUNT');
  const content = focus.filter((each) => each.webhook_focus_type !== 'ACCOUNT');
  const accountMatches = accounts.some((each) => each.webhook_focus_id === event.accountId);
  const contentMatches = content.some((each) =>
    event.content.some(({ type, id }) => type === each.webhook_focus_type && id === each.webhook_focus_id),
  );
  return (accounts.length === 0 || accountMatches) && (content.length === 0 || contentMatches);
}

describe('matching events with webhooks', () => {
  let opened: TestDatabase;
  let webhooks: WebhookService;

  aroundTests(async (parts) => {
    opened = parts.use(await openTestDatabase());
    webhooks = webhookServiceOn(opened.database);
  });

  const matching = (event: Event) => readMatchingWebhooks(opened.database.reader, event);

  /** The active webhooks that the page of an event would explain as changed since, because they match it. */
  async function explainedAsMatching(event: Event, ids: readonly number[]): Promise<number[]> {
    const past = { matched: [], occurredAt: Number.MAX_SAFE_INTEGER, subtopic: event.subtopic };
    const after = Math.min(...ids) - 1;
    const fits = await readWebhookFits(opened.database.reader, event, {
      after,
      limit: Math.max(...ids) - after,
    });
    return fits
      .filter((fit) => fit.deleted_at === null && unmatchedReason(past, fit) === 'CONFIGURATION_CHANGED')
      .map(({ id }) => id);
  }

  /** The webhooks among these to which an event would be replayed. */
  async function replayedTo(event: Event, ids: readonly number[]): Promise<number[]> {
    const { subtopic, accountId, content } = event;
    const resource = accountId === null ? {} : { account: { id: accountId, name: 'Any', enabled: true } };
    const replayable = { subtopic, resource, focused: content, occurredAt: 0 };
    const replayed: number[] = [];
    for (const id of ids) {
      const isMatch = await readMatcher(opened.database.reader, { id, ignore_before: null });
      if (isMatch(replayable)) replayed.push(id);
    }
    return replayed;
  }

  /** Makes a change, and the same change to the plain list of webhooks by id. */
  async function apply(change: Change, model: Map<number, WebhookInput>): Promise<void> {
    if (change.kind === 'create') {
      model.set((await webhooks.create(change.input, COMMAND_LINE)).id, change.input);
      return;
    }
    const id = [...model.keys()][change.index % Math.max(1, model.size)];
    if (id === undefined) return;
    if (change.kind === 'delete') {
      await webhooks.delete(id, { by: COMMAND_LINE, expected: null });
      model.delete(id);
    } else {
      const { input } = change;
      await webhooks.update(id, input, { by: COMMAND_LINE, resetStatistics: false, expected: null });
      model.set(id, input);
    }
  }

  test('finds exactly those that the rules require, after any change, as do replays and the explanations of events', async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(changes, { minLength: 1, maxLength: 12 }),
        fc.array(events, { minLength: 1, maxLength: 12 }),
        async (made, happened) => {
          const model = new Map<number, WebhookInput>();
          for (const change of made) await apply(change, model);
          for (const event of happened) {
            const expected = [...model]
              .filter(([, input]) => matches(input, event))
              .map(([id, input]) => ({
                id,
                name: input.name,
                topic: input.topic,
                target_url: input.target_url,
                logging_mode: input.logging_mode ?? 'FULLONERROR',
                max_attempts: input.max_attempts ?? 10,
              }));
            hits += expected.length;
            assert.deepEqual(
              (await matching(event)).map(({ revision: _revision, ...each }) => each),
              expected.sort((a, b) => a.id - b.id),
              JSON.stringify(event),
            );
            const active = [...model].filter(([, { enabled }]) => enabled !== false).map(([id]) => id);
            const ids = expected.map(({ id }) => id);
            if (active.length === 0) continue;
            assert.deepEqual(
              await explainedAsMatching(event, [...model.keys()]),
              ids,
              'the page of the event',
            );
            assert.deepEqual(await replayedTo(event, active), ids, 'replaying');
          }
          for (const id of model.keys()) await webhooks.delete(id, { by: COMMAND_LINE, expected: null });
        },
      ),
      { numRuns: SERIES },
    );
    assert.ok(hits > FEWEST_HITS, `the webhooks were hit ${hits} times`);
    assert.deepEqual(
      await opened.database.reader.all('select * from webhook_triggers'),
      [],
      'nothing is left behind',
    );
  });

  test('requires both an account and a content of the focus to match, but only one of each', async () => {
    const focus = (['ACCOUNT 1', 'ACCOUNT 2', 'COURSE 1', 'FOLDER 1'] as const).map((text) => {
      const [type, id] = text.split(' ') as [FocusType, string];
      return { webhook_focus_type: type, webhook_focus_id: Number(id) };
    });
    const { id } = await webhooks.create(
      {
        name: 'Both',
        topic: 'REGISTRATION',
        target_url: 'http://127.0.0.1:9/',
        focus,
      },
      COMMAND_LINE,
    );
    const found = async (accountId: number | null, ...content: ContentReference[]) =>
      (await matching({ subtopic: 'REGISTRATION_LAUNCHED', accountId, content })).length === 1;
    const course = (courseId: number): ContentReference => ({ type: 'COURSE', id: courseId });
    const folder = (folderId: number): ContentReference => ({ type: 'FOLDER', id: folderId });
    assert.equal(await found(1, course(1)), true);
    assert.equal(await found(2, course(7), folder(1)), true);
    assert.equal(await found(1, course(1), folder(1)), true, 'once, though it matches twice');
    assert.equal(await found(1), false, 'the account alone');
    assert.equal(await found(null, course(1)), false, 'the course alone');
    assert.equal(await found(3, course(1)), false);
    assert.equal(await found(1, course(2), folder(2)), false);
    assert.equal(
      await found(1, { type: 'BUNDLE', id: 1 }),
      false,
      'ids of one type are not those of another',
    );
    await webhooks.delete(id, { by: COMMAND_LINE, expected: null });
  });
});
