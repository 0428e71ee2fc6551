import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recordedLogs } from '../../test/support/logs.ts';
import { DeliveryLog } from '../webhooks/history/delivery-log.ts';
import { ConnectionTroubles } from './connection-troubles.ts';
import { DeliveryReports } from './delivery-reports.ts';

it('a line names each target with too many requests in flight, once a minute', () => {
  const { logs, lines } = recordedLogs('warn');
  const counted: string[] = [];
  const reports = new DeliveryReports({
    deliveryLog: new DeliveryLog(logs),
    log: logs.for('DeliveryPoller'),
    connectionTroubles: new ConnectionTroubles({ now: Date.now }),
    metrics: {
      attempted: () => {},
      arrived: () => {},
      discarded: () => {},
      postponed: (cause) => void counted.push(cause),
      queueFailed: () => {},
    },
  });
  for (const origin of ['https://a.example', 'https://b.example', 'https://a.example'])
    reports.postponed(1, 'origin_limit', origin);
  assert.deepEqual(
    lines.map(({ origin }) => origin),
    ['https://a.example', 'https://b.example'],
  );
  assert.equal(counted.length, 3);
});
