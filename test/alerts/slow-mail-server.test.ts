import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAIL_DEADLINE_MS, Mailer } from '../../src/alerts/notices/mailer.ts';
import { NEVER } from '../../src/time/never.ts';
import { SECOND_MS } from '../../src/time/units.ts';
import { startMailServer } from '../support/smtp.ts';

/** How much faster than in reality everything is in this test. */
const FASTER = 30;

describe('a mail server', () => {
  it('may scan an e-mail for 45 s before it accepts it', async () => {
    await using server = await startMailServer();
    server.scansForMs = (45 * SECOND_MS) / FASTER;
    const place = {
      host: '127.0.0.1',
      port: server.port,
      security: 'none' as const,
      user: null,
      password: null,
      from: 'coursewire@example.com',
    };
    const mail = {
      to: ['ops@example.com'],
      rejected: [],
      subject: 'Test',
      text: 'Test',
      id: 'one',
      repliesTo: [],
    };
    const mailer = new Mailer(place, { deadlineMs: MAIL_DEADLINE_MS / FASTER });
    assert.deepEqual(await mailer.send(mail, NEVER), { sent: true, error: null });
  });
});
