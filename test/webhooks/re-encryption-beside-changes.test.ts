import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { reEncrypt } from '../../src/secrets/re-encryption.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);
const CHANGED = { key: 'postbacks', secret: 'set meanwhile' };

describe('re-encryption', { skip: !ON_POSTGRES && 'one process has SQLite for itself' }, () => {
  test('keeps credentials that are set after it has read the former ones', async () => {
    await using service = await startTestService({ settings: { webhooks_auth_secret: OLD } });
    const authentication = { type: 'BASIC', key: 'postbacks', secret: 'read before' };
    const { id } = await service.api.create('/webhooks', webhookInput({ authentication }));
    const cipher = new CredentialsCipher([NEW, OLD]);
    await using changing = await openDatabaseOf(service.settings.data_dir);
    await using renewing = await openDatabaseOf(service.settings.data_dir);
    const change = await beginTransaction(changing);
    const changed = cipher.encryptCredentials(id, CHANGED);
    await change.tx.run('update webhooks set credentials = ? where id = ?', changed, id);
    const renewed = reEncrypt(renewing, cipher);
    await untilOneWaits(changing);
    await change.commit();
    assert.equal((await renewed).remaining, 0);
    const [row] = await changing.reader.all<{ credentials: string }>(
      'select credentials from webhooks where id = ?',
      id,
    );
    assert.deepEqual(cipher.decryptCredentials(id, row!.credentials), CHANGED);
  });
});
