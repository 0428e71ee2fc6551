import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget } from '../support/target.ts';
import { answer, type Behaviour, redirect } from '../support/target-behaviours.ts';
import { type AlertService, createAlert, startAlertService } from './alert-helpers.ts';

// Runs on SQLite alone: the response is read before the database is used.

/** Longer than what is shown of a target's texts. */
const TOKEN = `T0k-${'Ab3'.repeat(100)}`;

describe('the error of a notice', () => {
  let alerts: AlertService;
  aroundTests(async (parts) => {
    alerts = parts.use(await startAlertService());
  });

  /** The error that is shown if the receiver responds to a test of a rule with a token in its URL. */
  async function shownFor(respondWith: Behaviour): Promise<string> {
    await using target = await startTarget({ respondWith });
    const id = await createAlert(alerts.api, `${new URL(target.url).origin}/hooks/${TOKEN}`);
    const { status, body } = await alerts.api.post(`/alerts/${id}/test`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.results[0].error;
  }

  for (const [what, respondWith, shown] of [
    ['a redirect', redirect(`/hooks/${TOKEN}/`, 308), /^308 Permanent Redirect to .+, not followed$/],
    [
      'a redirect within a folder',
      redirect(`${TOKEN}?`, 308),
      /^308 Permanent Redirect to .+, not followed$/,
    ],
    ['a status text', answer(404, { statusText: `no hook ${TOKEN}` }), /^404 no hook \[censored\]$/],
  ] as const) {
    it(`shows nothing of a URL that is longer than what is shown of ${what}`, async () => {
      const error = await shownFor(respondWith);
      assert.match(error, shown);
      assert.ok(!error.includes(TOKEN.slice(0, 6)), error);
    });
  }
});
