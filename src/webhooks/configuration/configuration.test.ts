import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { processorMs } from '../../../test/support/processor-speed.ts';
import {
  availableSubtopics,
  FOCUS_TYPES_OF_TOPIC,
  SUBTOPICS,
  subtopicsOf,
  TOPICS,
} from '../../events/catalogue.ts';
import { type CurrentConfiguration, configurationErrors, toConfiguration } from './configuration.ts';
import type { WebhookInput } from './webhook-schemas.ts';

const input: WebhookInput = { name: 'Accounts', topic: 'ACCOUNT', target_url: 'https://example.com/' };
const acceptsAll = () => null;

function errorsOf(body: unknown, current: CurrentConfiguration | null = null) {
  return configurationErrors(body, { checkTargetUrl: acceptsAll, current });
}

function pointersOf(body: unknown, current: CurrentConfiguration | null = null): string[] {
  return errorsOf(body, current).map(({ pointer }) => pointer);
}

const allOfAccount: CurrentConfiguration = {
  topic: 'ACCOUNT',
  allSubtopics: true,
  subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
  authentication: { type: 'NONE' },
  targetUrl: 'https://example.com/',
};

describe('the meaning of a configuration', () => {
  test('omitted members get their defaults', () => {
    assert.deepEqual(toConfiguration(input, null), {
      name: 'Accounts',
      topic: 'ACCOUNT',
      allSubtopics: true,
      subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
      focus: [],
      targetUrl: 'https://example.com/',
      authentication: { type: 'NONE' },
      enabled: true,
      paused: false,
      maxAttempts: 10,
      ignoreBefore: null,
      loggingMode: 'FULLONERROR',
    });
  });

  test('subtopics are kept in the order of the catalogue, whatever order they come in', () => {
    const { allSubtopics, subtopics } = toConfiguration(
      { ...input, subtopics: ['ACCOUNT_DELETED', 'ACCOUNT_CREATED'] },
      null,
    );
    assert.equal(allSubtopics, false);
    assert.deepEqual(subtopics, ['ACCOUNT_CREATED', 'ACCOUNT_DELETED']);
  });

  test('all subtopics are those that the focus does not exclude', () => {
    for (const topic of TOPICS) {
      for (const type of FOCUS_TYPES_OF_TOPIC[topic]) {
        const focus = [{ webhook_focus_type: type, webhook_focus_id: 1 }];
        const { allSubtopics, subtopics } = toConfiguration({ ...input, topic, focus }, null);
        assert.equal(allSubtopics, true);
        assert.deepEqual(subtopics, availableSubtopics(topic, [type]));
      }
    }
  });

  test('a webhook with all subtopics keeps them if its record is sent back, but not without all_subtopics', () => {
    const listed = { ...input, subtopics: [...allOfAccount.subtopics].reverse() };
    const readBack = { ...listed, all_subtopics: true };
    assert.equal(toConfiguration(readBack, allOfAccount).allSubtopics, true);
    assert.equal(toConfiguration(listed, allOfAccount).allSubtopics, false);
    const focused = { ...readBack, focus: [{ webhook_focus_type: 'ACCOUNT' as const, webhook_focus_id: 1 }] };
    assert.deepEqual(errorsOf(focused, allOfAccount), []);
    assert.deepEqual(toConfiguration(focused, allOfAccount).subtopics, [
      'ACCOUNT_ACTIVATION_UPDATED',
      'ACCOUNT_DELETED',
    ]);
  });

  test('the list of one topic never means all subtopics of another', () => {
    const moved = {
      ...input,
      topic: 'COURSE' as const,
      subtopics: [...allOfAccount.subtopics],
      all_subtopics: true,
    };
    assert.deepEqual(pointersOf(moved, allOfAccount), ['/subtopics/0', '/subtopics/1', '/subtopics/2']);
    assert.equal(toConfiguration(moved, allOfAccount).allSubtopics, false);
  });
});

describe('the errors of a configuration', () => {
  test('subtopics of another topic, repeated ones, and none are named', () => {
    assert.deepEqual(errorsOf({ ...input, subtopics: [] }), [
      { pointer: '/subtopics', detail: 'must not be empty; omit it for all subtopics of the topic' },
    ]);
    assert.deepEqual(
      errorsOf({
        ...input,
        subtopics: ['ACCOUNT_DELETED', 'COURSE_IMPORTED', 'ACCOUNT_DELETED', 'ACCOUNT_DELETED'],
      }),
      [
        { pointer: '/subtopics/1', detail: 'must be a subtopic of ACCOUNT' },
        { pointer: '/subtopics/2', detail: 'must not repeat ACCOUNT_DELETED' },
        { pointer: '/subtopics/3', detail: 'must not repeat ACCOUNT_DELETED' },
      ],
    );
  });

  test('every pair of topic and subtopic is checked', () => {
    for (const topic of TOPICS) {
      for (const subtopic of SUBTOPICS) {
        const expected = subtopicsOf(topic).includes(subtopic) ? [] : ['/subtopics/0'];
        assert.deepEqual(
          pointersOf({ ...input, topic, subtopics: [subtopic] }),
          expected,
          `${topic} ${subtopic}`,
        );
      }
    }
  });

  test('exactly two subtopics are excluded by a focus', () => {
    const excluded: string[] = [];
    for (const topic of TOPICS) {
      for (const subtopic of subtopicsOf(topic)) {
        for (const type of FOCUS_TYPES_OF_TOPIC[topic]) {
          const focus = [{ webhook_focus_type: type, webhook_focus_id: 1 }];
          const pointers = pointersOf({ ...input, topic, subtopics: [subtopic], focus });
          if (pointers.length > 0) excluded.push(`${subtopic} with ${type} at ${pointers}`);
        }
      }
    }
    assert.deepEqual(excluded, [
      'ACCOUNT_CREATED with ACCOUNT at /subtopics/0',
      'COURSE_IMPORTED with COURSE at /subtopics/0',
    ]);
  });

  test('focus types that the topic does not have, and repeated focuses, are named', () => {
    const focus = [
      { webhook_focus_type: 'COURSE', webhook_focus_id: 1 },
      { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 },
      { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1, webhook_focus_name: 'another name' },
      { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 2 },
    ];
    assert.deepEqual(errorsOf({ ...input, focus }), [
      { pointer: '/focus/0/webhook_focus_type', detail: 'must be one of ACCOUNT for the topic ACCOUNT' },
      { pointer: '/focus/2', detail: 'must not repeat another focus of the list' },
    ]);
  });

  test('key and secret are allowed only with BASIC, which requires both', () => {
    const pointers = (authentication: unknown, current: CurrentConfiguration | null = null) =>
      pointersOf({ ...input, authentication }, current);
    assert.deepEqual(pointers({}), []);
    assert.deepEqual(pointers({ type: 'NONE' }), []);
    assert.deepEqual(pointers({ type: 'NONE', key: 'k', secret: 's' }), [
      '/authentication/key',
      '/authentication/secret',
    ]);
    assert.deepEqual(pointers({ secret: 's' }), ['/authentication/secret']);
    assert.deepEqual(pointers({ type: 'BASIC' }), ['/authentication/key', '/authentication/secret']);
    assert.deepEqual(pointers({ type: 'BASIC', key: 'k' }), ['/authentication/secret']);
    assert.deepEqual(pointers({ type: 'BASIC', secret: 's' }), ['/authentication/key']);
    assert.deepEqual(pointers({ type: 'BASIC', key: 'a:b', secret: 's:t' }), ['/authentication/key']);
    assert.deepEqual(pointers({ type: 'BASIC', key: 'k', secret: 's' }), []);
    const stored = { ...allOfAccount, authentication: { type: 'BASIC', key: 'k' } as const };
    assert.deepEqual(pointers({ type: 'BASIC', key: 'k' }, stored), []);
    assert.deepEqual(pointers({ type: 'BASIC', key: 'other' }, stored), ['/authentication/secret']);
  });

  test('all errors are reported together', () => {
    const errors = configurationErrors(
      {
        ...input,
        subtopics: ['COURSE_IMPORTED'],
        focus: [{ webhook_focus_type: 'FOLDER', webhook_focus_id: 1 }],
        authentication: { type: 'BASIC' },
      },
      { checkTargetUrl: () => 'is nowhere', current: null },
    );
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      [
        '/focus/0/webhook_focus_type',
        '/subtopics/0',
        '/target_url',
        '/authentication/key',
        '/authentication/secret',
      ],
    );
  });

  test('any input gets a list of errors, and never makes the check throw', () => {
    const unreadable = JSON.parse('{"toString":1,"valueOf":null}') as unknown;
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constant(unreadable),
      fc.constantFrom(...SUBTOPICS, ...TOPICS),
    );
    const focuses = fc.oneof(
      values,
      fc.array(fc.record({ webhook_focus_type: values, webhook_focus_id: values }, { requiredKeys: [] })),
    );
    const bodies = fc.oneof(
      values,
      fc.record(
        {
          topic: values,
          subtopics: fc.oneof(values, fc.array(values)),
          focus: focuses,
          target_url: values,
          authentication: fc.oneof(
            values,
            fc.record({ type: fc.constantFrom('NONE', 'BASIC', 1), key: values }),
          ),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        for (const { pointer } of errorsOf(body, allOfAccount)) assert.match(pointer, /^\//);
      }),
    );
  });

  test('a list of values of the wrong type is rejected quickly, however long it is', () => {
    const began = processorMs();
    errorsOf({ ...input, subtopics: Array.from({ length: 200_000 }, (_, index) => index) });
    const took = processorMs() - began;
    assert.ok(took < 1_000, `${took} ms`);
  });
});
