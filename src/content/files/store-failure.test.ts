import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contentUnavailable } from './content-unavailable.ts';
import { storeFailureReason } from './store-failure.ts';

it('the reason of a failed store says that the time was over, rather than who ended the request', () => {
  for (const name of ['AbortError', 'TimeoutError']) {
    const error = Object.assign(new Error('Request aborted'), { name });
    assert.equal(storeFailureReason(contentUnavailable(error)), 'no response in time');
  }
});
