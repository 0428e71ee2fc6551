import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  availableSubtopics,
  CONTENT_TYPES,
  FOCUS_TYPES,
  FOCUS_TYPES_OF_TOPIC,
  isExcludedByFocus,
  isFocusType,
  isSubtopic,
  isTopic,
  SUBTOPICS,
  subtopicsOf,
  TOPICS,
  topicOf,
} from './catalogue.ts';

/** The table of topics and subtopics in the specification, row by row. */
const SPECIFIED = {
  ACCOUNT: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
  ACCOUNT_CONTENT: ['CONTENT_ADDED_TO_ACCOUNT', 'CONTENT_REMOVED_FROM_ACCOUNT'],
  COURSE: ['COURSE_IMPORTED', 'COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED'],
  REGISTRATION: ['REGISTRATION_LAUNCHED', 'REGISTRATION_STATUS_UPDATED'],
} as const;

describe('the catalogue of events', () => {
  test('has the topics and subtopics in the order of the specification', () => {
    assert.deepEqual(TOPICS, Object.keys(SPECIFIED));
    assert.deepEqual(SUBTOPICS, Object.values(SPECIFIED).flat());
    for (const topic of TOPICS) {
      assert.deepEqual(subtopicsOf(topic), SPECIFIED[topic]);
      for (const subtopic of SPECIFIED[topic]) assert.equal(topicOf(subtopic), topic);
    }
  });

  test('has the focus types of each topic: accounts for accounts, courses for courses, both kinds for the rest', () => {
    assert.deepEqual(FOCUS_TYPES, ['ACCOUNT', ...CONTENT_TYPES]);
    assert.deepEqual(FOCUS_TYPES_OF_TOPIC, {
      ACCOUNT: ['ACCOUNT'],
      ACCOUNT_CONTENT: ['ACCOUNT', 'COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'],
      COURSE: ['COURSE'],
      REGISTRATION: ['ACCOUNT', 'COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'],
    });
  });

  test('excludes by focus the subtopics whose asset did not exist when the focus was set', () => {
    const excluded = SUBTOPICS.flatMap((subtopic) =>
      FOCUS_TYPES.filter((type) => isExcludedByFocus(subtopic, [type])).map((type) => [subtopic, type]),
    );
    assert.deepEqual(excluded, [
      ['ACCOUNT_CREATED', 'ACCOUNT'],
      ['COURSE_IMPORTED', 'COURSE'],
    ]);
    assert.equal(isExcludedByFocus('ACCOUNT_CREATED', ['COURSE', 'ACCOUNT']), true);
    assert.equal(isExcludedByFocus('ACCOUNT_CREATED', []), false);
  });

  test('leaves every topic a subtopic under every focus that it supports', () => {
    for (const topic of TOPICS) {
      assert.deepEqual(availableSubtopics(topic, []), subtopicsOf(topic));
      assert.ok(availableSubtopics(topic, FOCUS_TYPES_OF_TOPIC[topic]).length > 0, topic);
    }
  });

  test('accepts only its own words, spelled exactly', () => {
    for (const word of [
      'account',
      'ACCOUNT ',
      '',
      'constructor',
      '__proto__',
      null,
      undefined,
      0,
      {},
      ['ACCOUNT'],
    ]) {
      assert.equal(isTopic(word) || isSubtopic(word) || isFocusType(word), false, String(word));
    }
    assert.ok(isTopic('ACCOUNT_CONTENT') && isSubtopic('COURSE_IMPORTED') && isFocusType('FOLDER'));
  });
});
