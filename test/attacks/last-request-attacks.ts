import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus, manyTimes } from './attack.ts';

const PAGES = 10;

/** Attacks with the requests that pages send while they are being closed. */
export async function lastRequestAttacks(service: WatchedService): Promise<Attack[]> {
  const { client } = await startUnit(service, scorm12Course(), 'i1');
  return [
    {
      name: 'last requests that wait for others which never arrive',
      perform: () =>
        manyTimes(100, 50, async (n) => {
          const response = await fetch(`${client.base}/commit`, {
            method: 'POST',
            headers: { 'coursewire-last-request': `some-page-${n % PAGES} ${2 + (n % 2)}` },
            body: '{}',
          });
          assertStatus({ status: response.status, body: await response.text() }, 400);
        }),
    },
  ];
}
