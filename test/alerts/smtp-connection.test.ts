import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startMailServer } from '../support/smtp.ts';
import { createAlert, startAlertService } from './alert-helpers.ts';

// Runs on SQLite in `npm test`: it is about mail servers.

describe('the connection to the SMTP server', () => {
  it('shows nothing of its password, even if the server repeats it', async () => {
    await using mail = await startMailServer({ user: 'alerts', password: 'another one' });
    await using alerts = await startAlertService({
      ...mail.settings,
      smtp_user: 'alerts',
      smtp_password: 'open sesame',
    });
    const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
    const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
    assert.match(results[0].error, /failed for alerts with \[censored\], \[censored\], \[censored\]$/);
    const log = JSON.stringify(alerts.service.logLines);
    assert.ok(!log.includes('open sesame'), 'nothing secret is logged');
  });

  it('shows nothing of a password that is longer than what is shown of the server’s response', async () => {
    await using mail = await startMailServer({ user: 'alerts', password: 'another one' });
    const smtp_password = `p4s-${'Ab3'.repeat(100)}`;
    await using alerts = await startAlertService({ ...mail.settings, smtp_user: 'alerts', smtp_password });
    const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
    const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
    assert.match(results[0].error, /authentication failed for alerts with \[censored\]/);
  });

  it('is not used unencrypted, unless the settings allow it', async () => {
    await using mail = await startMailServer();
    for (const [security, expected] of [
      ['starttls', /^no encrypted connection/],
      ['tls', /./],
    ] as const) {
      await using alerts = await startAlertService({ ...mail.settings, smtp_security: security });
      const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
      const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
      assert.equal(results[0].sent, false);
      assert.match(results[0].error, expected);
    }
    assert.equal(mail.mails.length, 0);
  });

  it('is not used if the certificate of the server is not trusted', async () => {
    await using mail = await startMailServer({ tls: true });
    await using alerts = await startAlertService({ ...mail.settings, smtp_security: 'starttls' });
    const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
    const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
    assert.equal(results[0].sent, false);
    assert.match(results[0].error, /certificate/);
  });
});
