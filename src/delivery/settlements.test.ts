import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReceivedMessage } from '../queue/message-queue.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import { discard, type FinishedMessage, withCurrentFollowers } from './settlements.ts';

const EVENT_AT = 1_000;

const message: ReceivedMessage = {
  lineId: 1,
  messageId: 'm',
  label: 'ACCOUNT_CREATED',
  body: '{}',
  position: 1,
  occurredAt: EVENT_AT,
  leaseToken: 'lease',
  receiveCount: 1,
};

function webhookWith(changes: Partial<DeliveryTarget>): DeliveryTarget {
  return {
    webhookId: 1,
    state: 'ACTIVE',
    targetUrl: 'https://example.com/',
    credentials: null,
    signingKeys: null,
    lost: null,
    signingLost: null,
    maxAttempts: 3,
    ignoreBefore: null,
    loggingMode: 'NONE',
    ...changes,
  };
}

/** Up to which time followers are discarded with a message that the webhook ignored. */
function followersBefore(current: Partial<DeliveryTarget>): number | null {
  const ignoring = webhookWith({ ignoreBefore: EVENT_AT + 500 });
  const discarded = discard(message, ignoring, 'BEFORE_IGNORE_DT', EVENT_AT + 900);
  const settled: FinishedMessage = withCurrentFollowers(discarded, webhookWith(current));
  return settled.action === 'discard' ? settled.followersBefore : null;
}

describe('the messages behind a discarded one', () => {
  it('are discarded with it as far as the webhook ignores them', () => {
    assert.equal(followersBefore({ ignoreBefore: EVENT_AT + 500 }), EVENT_AT + 500);
  });

  it('stay if the webhook no longer ignores them, ignores nothing any more, or is paused', () => {
    assert.equal(followersBefore({ ignoreBefore: EVENT_AT + 1 }), EVENT_AT + 1);
    assert.equal(followersBefore({ ignoreBefore: null }), 0);
    assert.equal(followersBefore({ ignoreBefore: EVENT_AT + 500, state: 'PAUSED' }), 0);
  });
});
