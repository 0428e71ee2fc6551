import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postbackFailureMessage, postbackFailureReason } from './postback-failure.ts';

describe('the text of the last error', () => {
  const message = "Request to postback URL 'https://example.com/hook' failed for reason: 403 Forbidden";

  it('contains the reason of a failure', () => {
    assert.equal(postbackFailureMessage('https://example.com/hook', '403 Forbidden'), message);
    assert.equal(postbackFailureReason(message), '403 Forbidden');
  });

  it('is its own reason if it has another form', () => {
    assert.equal(postbackFailureReason('out of order'), 'out of order');
  });
});
