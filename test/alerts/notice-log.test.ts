import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  type AlertService,
  alertInput,
  createAlert,
  HOUR,
  startWithTrouble,
  untilNotice,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: it is about the log. The tests of sending store notices and their attempts on both.

describe('the log', () => {
  it('does not say that notices are sent again when a notice of another rule is sent', async () => {
    await using broken = await startTarget({ respondWith: answer(500) });
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const failing = await createAlert(alerts.api, broken.url);
    await untilNotice(alerts, failing, ({ error }) => error !== null, 'it failed');
    const other = await createAlert(alerts.api, receiver.url);
    await untilNotice(alerts, other, ({ state }) => state === 'SENT', 'the other one was sent');
    const sentAgain = () => textsOf(alerts).filter((text) => text.includes('sent again'));
    assert.deepEqual(sentAgain(), []);

    broken.respondWith(answer(200));
    alerts.clock.pass(30_000);
    await untilNotice(alerts, failing, ({ state }) => state === 'SENT', 'it was sent');
    assert.deepEqual(sentAgain(), [`the notices of alert ${failing} are sent again`]);
  });

  it('does not say that notices are sent again if the one that failed is no longer needed', async () => {
    await using receiver = await startTarget({ respondWith: answer(500) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const { api } = alerts;
    const id = await createAlert(api, receiver.url);
    await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    await api.put(`/alerts/${id}`, alertInput(receiver.url, { enabled: false }));
    receiver.respondWith(answer(200));
    await api.put(`/alerts/${id}`, alertInput(receiver.url));
    await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'the next one was sent');
    assert.deepEqual(textsOf(alerts), [
      'a notice of an alert could not be sent: retrying',
      'a notice of an alert was sent',
    ]);
  });

  it('says once that a notice is not retried any more after a day', async () => {
    await using receiver = await startTarget({ respondWith: answer(500) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url);
    await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    alerts.clock.pass(24 * HOUR);
    await until(() => textsOf(alerts).length > 1, 'the log says more');
    assert.deepEqual(textsOf(alerts), [
      'a notice of an alert could not be sent: retrying',
      'a notice of an alert is not retried any more: it could not be sent within 24 hours',
    ]);
    const [line] = alerts.service.logLines.filter(({ msg }) => /not retried any more/.test(msg));
    assert.deepEqual([line!.level, line!.reason], ['error', '500 Internal Server Error']);
  });

  it('does not say that a notice is retried if its rule was deleted during the attempt', async () => {
    const deleted = Promise.withResolvers<void>();
    await using receiver = await startTarget({
      respondWith: (exchange) => void deleted.promise.then(() => answer(500)(exchange)),
    });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url);
    await receiver.waitFor(1);
    await alerts.api.delete(`/alerts/${id}`);
    deleted.resolve();
    await until(() => textsOf(alerts).length > 0, 'the attempt has failed');
    assert.deepEqual(textsOf(alerts), ['a notice of an alert could not be sent, and no longer needs to be']);
  });
});

/** What the log says about notices, in order. */
function textsOf({ service }: AlertService): string[] {
  return service.logLines.map(({ msg }) => msg).filter((text) => /\bnotices? of\b/.test(text));
}
