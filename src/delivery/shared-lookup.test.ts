import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedLookup } from './shared-lookup.ts';

type Respond = (
  error: NodeJS.ErrnoException | null,
  addresses?: { address: string; family: number }[],
) => void;

function setUp() {
  const asked: { hostname: string; respond: Respond }[] = [];
  const lookup = new SharedLookup((hostname, _options, callback) => {
    asked.push({ hostname, respond: (error, addresses = []) => callback(error, addresses) });
  });
  const results: string[] = [];
  const find = (hostname: string, who: string, family = 0) =>
    lookup.find(hostname, { family }, (error, addresses) => {
      results.push(`${who}: ${error?.code ?? addresses.map(({ address }) => address).join(' ')}`);
    });
  return { asked, results, find };
}

const ADDRESSES = [{ address: '192.0.2.1', family: 4 }];

describe('looking up hosts', () => {
  it('asks once for all callers that look up the same host at the same time', () => {
    const { asked, results, find } = setUp();
    find('a.test', 'first');
    find('a.test', 'second');
    find('b.test', 'third');
    assert.deepEqual(
      asked.map(({ hostname }) => hostname),
      ['a.test', 'b.test'],
    );

    asked[0]?.respond(null, ADDRESSES);
    assert.deepEqual(results, ['first: 192.0.2.1', 'second: 192.0.2.1']);
  });

  it('reports a failure to all of them, and looks the name up again the next time', () => {
    const { asked, results, find } = setUp();
    find('a.test', 'first');
    find('a.test', 'second');
    asked[0]?.respond(Object.assign(new Error('lost'), { code: 'EAI_AGAIN' }));
    find('a.test', 'third');
    asked[1]?.respond(null, ADDRESSES);
    assert.deepEqual(results, ['first: EAI_AGAIN', 'second: EAI_AGAIN', 'third: 192.0.2.1']);
  });

  it('does not cache: a result is only for the callers that waited for it', () => {
    const { asked, find } = setUp();
    find('a.test', 'first');
    asked[0]?.respond(null, ADDRESSES);
    find('a.test', 'second');
    assert.equal(asked.length, 2);
  });

  it('looks up each address family separately', () => {
    const { asked, find } = setUp();
    find('a.test', 'first', 4);
    find('a.test', 'second', 6);
    assert.equal(asked.length, 2);
  });

  it('finds no addresses if a host does not exist', () => {
    const { asked, results, find } = setUp();
    find('a.test', 'first');
    asked[0]?.respond(null, []);
    assert.deepEqual(results, ['first: ENOTFOUND']);
  });
});
