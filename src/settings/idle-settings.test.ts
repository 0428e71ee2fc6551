import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idleSettings } from './idle-settings.ts';
import { loadSettings } from './load-settings.ts';

const idleWith = (env: Record<string, string>) => idleSettings(loadSettings({ env }));

describe('settings that have no effect because of others', () => {
  it('are none by default', () => {
    assert.deepEqual(idleWith({}), []);
  });

  it('are those of Amazon SQS with the queue of the database, in one sentence', () => {
    const env = {
      MESSAGE_QUEUE_NAME: 'mine.fifo',
      DEAD_LETTER_QUEUE_NAME: 'dead.fifo',
      SQS_REGION: 'eu-central-1',
    };
    assert.deepEqual(idleWith(env), [
      'sqs_region, message_queue_name, dead_letter_queue_name do nothing: only used if queue_driver is sqs',
    ]);
    assert.deepEqual(idleWith({ ...env, QUEUE_DRIVER: 'sqs' }), []);
  });

  it('are those of PostgreSQL and S3 without them', () => {
    assert.deepEqual(idleWith({ DATABASE_CONNECTIONS: '7', CONTENT_STORE_ENDPOINT: 'http://s3.example' }), [
      'database_connections does nothing: only used if database_url is set',
      'content_store_endpoint does nothing: only used if content_store is an S3 bucket',
    ]);
  });

  it('do not include the interval of polling, which the queue of the database has, too', () => {
    assert.deepEqual(idleWith({ QUEUE_POLLING_INTERVAL: '1' }), []);
  });
});
