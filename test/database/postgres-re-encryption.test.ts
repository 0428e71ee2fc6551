import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Database, Transaction } from '../../src/database/database.ts';
import { alertUrlContext, CredentialsCipher, signingContext } from '../../src/secrets/credentials-cipher.ts';
import { reEncrypt } from '../../src/secrets/re-encryption.ts';
import { checkSecret } from '../../src/secrets/secret-check.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { withMembers } from '../support/watched-database.ts';

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);
const old = new CredentialsCipher([OLD]);
const both = new CredentialsCipher([NEW, OLD]);
const renewed = new CredentialsCipher([NEW]);

/** The same database, in whose transactions `meanwhile` runs after each read. */
function withPauses(database: Database, meanwhile: (rows: readonly unknown[]) => Promise<void>): Database {
  const paused = (tx: Transaction) =>
    withMembers<Transaction>(tx, {
      all: async <Row>(...given: Parameters<Transaction['all']>) => {
        const rows = await tx.all<Row>(...given);
        await meanwhile(rows);
        return rows;
      },
    });
  return withMembers<Database>(database, {
    transaction: (work, options) => database.transaction((tx) => work(paused(tx)), options),
  });
}

it('re-encryption on PostgreSQL keeps a secret that a service sets between its read and its write', {
  skip: !ON_POSTGRES && 'on SQLite, nobody else writes while a transaction is open',
}, async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const service = opened.open();
  await checkSecret(database, old);
  const set = async (text: string) => {
    const values = [old.encrypt(signingContext(1), text), old.encrypt(alertUrlContext(1), text)] as const;
    await service.transaction(async (tx) => {
      await tx.run('update webhooks set signing_secret = ? where id = 1', values[0]);
      await tx.run('update alert_rules set target_url = ? where id = 1', values[1]);
    });
  };
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
         logging_mode, revision, created_at, updated_at)
       values (1, 'w', 'ACCOUNT', 1, 'http://127.0.0.1:9/', 'NONE', 1, 10, 'NONE', 1, 0, 0)`,
    );
    await tx.run(
      `insert into alert_rules (id, name, enabled, condition, email_to, target_format, target_origin, target_url,
         active_since, revision, created_at, updated_at)
       values (1, 'a', 1, 'WEBHOOK_IN_ERROR', '[]', 'JSON', 'http://a.example', 'x', 0, 1, 0, 0)`,
    );
  });
  for (const read of ['signing_secret', 'target_url']) {
    await set('before');
    let isSet = false;
    const racing = withPauses(database, async ([row]) => {
      if (isSet || typeof row !== 'object' || row === null || !(read in row)) return;
      isSet = true;
      await set('set meanwhile');
    });
    assert.equal((await reEncrypt(racing, both)).remaining, 0);
    const [kept] = await database.reader.all<{ signing_secret: string; target_url: string }>(
      'select signing_secret, alert_rules.target_url from webhooks, alert_rules',
    );
    assert.ok(isSet && kept !== undefined);
    assert.equal(renewed.decrypt(signingContext(1), kept.signing_secret), 'set meanwhile');
    assert.equal(renewed.decrypt(alertUrlContext(1), kept.target_url), 'set meanwhile');
  }
});
