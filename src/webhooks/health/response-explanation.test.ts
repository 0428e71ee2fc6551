import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseExplanation } from './response-explanation.ts';

describe('the explanation of a failure in a target’s response', () => {
  it('is the member of a JSON body that explains it', () => {
    const explained = {
      '{"message":"API key crm was revoked"}': 'API key crm was revoked',
      '{"title":"Forbidden","status":403,"detail":"Key expired"}': 'Key expired',
      '{"error":"invalid_token","error_description":"The token expired"}': 'The token expired',
      '{"error":{"code":7,"message":"No such tenant"}}': 'No such tenant',
      '{"errors":[{"message":"Unknown learner"},{"message":"second"}]}': 'Unknown learner',
      '"Quota exceeded"': 'Quota exceeded',
    };
    for (const [body, said] of Object.entries(explained)) assert.equal(responseExplanation(body), said, body);
  });

  it('is the title of a page, or the text', () => {
    assert.equal(
      responseExplanation('<!doctype html><html><head><title>502 Bad\n Gateway</title>'),
      '502 Bad Gateway',
    );
    assert.equal(responseExplanation('  account\tlocked\r\n'), 'account locked');
    assert.equal(responseExplanation('{"cut off at the limit": "tex'), '{"cut off at the limit": "tex');
  });

  it('is nothing for a body without an explanation', () => {
    for (const body of [
      null,
      '',
      ' \n',
      '{}',
      '[]',
      '{"message":""}',
      '{"status":500}',
      '<html><p>Sorry</p>',
    ])
      assert.equal(responseExplanation(body), null, String(body));
  });

  it('is one short line of printable characters, whatever the target sends', () => {
    assert.equal(responseExplanation(`{"message":${JSON.stringify('long '.repeat(100))}}`)?.length, 200);
    assert.equal(responseExplanation(JSON.stringify({ message: 'a\u0000b\u202ec' })), 'a b c');
    assert.equal(responseExplanation(`${'{"error":'.repeat(50)}1${'}'.repeat(50)}`), null);
    assert.equal(responseExplanation('{"__proto__":{"message":"x"}}'), null);
  });
});
