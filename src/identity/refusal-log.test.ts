import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedLogs } from '../../test/support/logs.ts';
import { RefusalLog } from './refusal-log.ts';

const SECOND = 1_000;

describe('the log of refusals', () => {
  it('has a hundred lines of an address at once, then one every ten seconds, which says how many were omitted', () => {
    const { logs, lines } = recordedLogs();
    let now = 0;
    const refusals = new RefusalLog(logs.for('TokenEndpoint'), () => now);
    const note = (times: number, address = '192.0.2.1') => {
      for (let n = 0; n < times; n++) refusals.note('access token refused', { address });
    };
    note(150);
    assert.equal(lines.length, 100);
    now += 10 * SECOND;
    note(3);
    assert.deepEqual(
      lines.slice(100).map(({ omitted }) => omitted),
      [50],
    );
    note(1, '192.0.2.2');
    assert.deepEqual(
      [lines.length, lines.at(-1)?.address],
      [102, '192.0.2.2'],
      'others have lines of their own',
    );
    now += 10 * SECOND;
    note(1);
    assert.equal(lines.at(-1)?.omitted, 2);
    now += 2_000 * SECOND;
    note(150);
    assert.equal(lines.length, 203, 'later, it has a hundred again');
  });

  it('counts all addresses of an IPv6 site together', () => {
    const { logs, lines } = recordedLogs();
    const refusals = new RefusalLog(logs.for('TokenEndpoint'), () => 0);
    for (let n = 0; n < 200; n++) refusals.note('refused', { address: `2001:db8:1:${n.toString(16)}::1` });
    assert.equal(lines.length, 100);
    refusals.note('refused', { address: '2001:db8:2::1' });
    assert.equal(lines.length, 101);
  });
});
