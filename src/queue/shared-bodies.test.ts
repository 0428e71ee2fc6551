import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownPart, withSharedParts } from './shared-bodies.ts';

describe('a stored body', () => {
  it('gets its shared part back, whatever characters that has', () => {
    const row = { body: ownPart('{"a":1,', ',"z":2}'), shared_body_id: 7, message_id: 'm' };
    const [whole] = withSharedParts([row], new Map([[7, '"text":"$& $1"']]));
    assert.equal(whole?.body, '{"a":1,"text":"$& $1","z":2}');
  });

  it('whose shared part is missing, or that is no text, says why it cannot be read', () => {
    const rows = [
      { body: '{"a":1\n}', shared_body_id: 7 },
      { body: '', shared_body_id: null },
    ];
    assert.deepEqual(withSharedParts(rows, new Map()), [
      {
        body: '',
        shared: { id: 7, own: rows[0]!.body },
        unreadable: 'the shared part 7 of its body is missing',
      },
      { body: '', unreadable: 'its body is not a text' },
    ]);
  });
});
