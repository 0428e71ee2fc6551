import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogs } from '../observability/log.ts';
import { DeliveryLog } from '../webhooks/history/delivery-log.ts';
import { ConnectionTroubles } from './connection-troubles.ts';
import { DeliveryReports } from './delivery-reports.ts';

it('a line names each target with too many requests in flight, once a minute', () => {
  const origins: unknown[] = [];
  const destination = { write: (line: string) => void origins.push(JSON.parse(line).origin) };
  const logs = createLogs({ level: 'warn', customLevels: {}, destination });
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
  assert.deepEqual(origins, ['https://a.example', 'https://b.example']);
  assert.equal(counted.length, 3);
});
