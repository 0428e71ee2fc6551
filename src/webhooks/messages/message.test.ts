import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SUBTOPICS, topicOf } from '../../events/catalogue.ts';
import type { ServiceEvent } from '../../events/event.ts';
import { LOGGING_MODES } from '../configuration/logging-mode.ts';
import { MessageBuilder } from './message.ts';
import { SAMPLE_RESOURCES } from './sample-events.ts';

const texts = fc.string({ unit: 'binary', maxLength: 40 });

describe('messages', () => {
  test('are JSON with the documented members in their order, whatever names and addresses hold', () => {
    const webhooks = fc.record({
      id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      name: texts,
      target_url: texts,
      logging_mode: fc.constantFrom(...LOGGING_MODES),
      max_attempts: fc.integer({ min: 1, max: 1_000 }),
    });
    const moments = fc.date({
      min: new Date(0),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...SUBTOPICS),
        webhooks,
        texts,
        texts,
        moments,
        (subtopic, webhook, user, name, moment) => {
          const sample = structuredClone(SAMPLE_RESOURCES[subtopic]);
          if ('account' in sample) sample.account.name = name;
          const resource = sample as ServiceEvent['resource'];
          const event = { subtopic, resource, user, occurredAt: moment.getTime() };
          const body = new MessageBuilder(event).build({ ...webhook, topic: topicOf(subtopic) });
          const expected = {
            subscription_id: webhook.id,
            name: webhook.name,
            topic: topicOf(subtopic),
            subtopic,
            resource,
            user,
            timestamp: moment.toISOString(),
            target_url: webhook.target_url,
            logging_mode: webhook.logging_mode === 'FULLONERROR' ? 'FULL_ON_ERROR' : webhook.logging_mode,
            max_attempts: webhook.max_attempts,
          };
          assert.equal(body, JSON.stringify(expected));
          assert.ok(body.isWellFormed());
        },
      ),
    );
  });

  test('of one event differ only in the data of their webhooks', () => {
    const builder = new MessageBuilder({
      subtopic: 'ACCOUNT_CREATED',
      resource: SAMPLE_RESOURCES.ACCOUNT_CREATED,
      user: 'admin@example.com',
      occurredAt: 0,
    });
    const webhook = {
      id: 1,
      name: 'a',
      topic: 'ACCOUNT',
      target_url: 'http://a',
      logging_mode: 'NONE',
      max_attempts: 1,
    };
    const first = JSON.parse(builder.build(webhook));
    const second = JSON.parse(builder.build({ ...webhook, id: 2, name: 'b' }));
    assert.deepEqual({ ...second, subscription_id: 1, name: 'a' }, first);
  });
});
