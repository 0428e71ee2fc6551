import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownPart, withSharedParts } from './shared-bodies.ts';

describe('a stored body', () => {
  it('gets its shared part back, whatever characters that has', () => {
    const row = { body: ownPart('{"a":1,', ',"z":2}'), shared_body_id: 7, message_id: 'm' };
    const [whole] = withSharedParts([row], new Map([[7, '"text":"$& $1"']]));
    assert.equal(whole?.body, '{"a":1,"text":"$& $1","z":2}');
  });

  it('whose shared part is missing is an error that names its message', () => {
    const row = { body: ownPart('{', '}'), shared_body_id: 7, message_id: 'm' };
    assert.throws(() => withSharedParts([row], new Map()), {
      message: 'the shared part 7 of message m is missing',
    });
  });
});
