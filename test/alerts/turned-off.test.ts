import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../support/clock.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  createAlert,
  createFailingWebhook,
  firingsOf,
  HOUR,
  MINUTE,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: a setting turns the work off in the process. The tests of sending store rules, alerts and notices on both.

describe('enable_alerts: false', () => {
  it('begins no alert and sends no notice, neither new ones nor those that waited, but sends tests', async () => {
    using folder = temporaryFolder();
    await using receiver = await startTarget({ respondWith: answer(503) });
    await using target = await startTarget({ respondWith: answer(500) });
    const clock = new ManualClock();
    const started = (enable_alerts: boolean) => startAlertService({ enable_alerts }, clock, folder.path);
    let waiting: number;
    {
      await using alerts = await started(true);
      waiting = await createAlert(alerts.api, receiver.url);
      await createFailingWebhook(alerts.api, target.url);
      clock.pass(5 * MINUTE);
      await receiver.waitFor(1);
      const isTried = ({ notices }: { notices: { attempts: number }[] }) => notices[0]?.attempts === 1;
      await untilFiring(alerts.api, waiting, isTried, 'the notice waits for its retry');
    }
    receiver.respondWith(answer(204));
    clock.pass(HOUR);
    await using alerts = await started(false);
    const { api, service } = alerts;
    const unseen = await createAlert(api, receiver.url);
    // Until then, rules would have been evaluated many times.
    await createFailingWebhook(api, target.url);
    assert.equal((await api.post(`/alerts/${waiting}/test`)).body.results[0].sent, true);
    assert.deepEqual(await firingsOf(api, unseen), []);
    assert.deepEqual(
      receiver.requests.slice(1).map(({ json }) => (json as { type: string }).type),
      ['alert.test'],
    );
    assert.match(
      service.logLines.map(({ msg }) => msg).join('\n'),
      /enable_alerts is false: this instance evaluates no alert rules and sends no notices/,
    );
  });
});
