import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../../src/database/database.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import { makeDelivery } from '../support/delivery.ts';

describe('the targets of messages', () => {
  it('are never those of a change that was rolled back, although the next one has its revision', async () => {
    await using delivery = await makeDelivery();
    const { database } = delivery;
    const cipher = new CredentialsCipher(['s'.repeat(64)]);
    const targets = new DeliveryTargets({ reader: database.reader, cipher });
    const id = await delivery.addWebhook('http://first.example/');
    const change = async (tx: Transaction, url: string) => {
      await tx.run('update webhooks set target_url = ?, revision = revision + 1 where id = ?', url, id);
    };
    const urlOf = async (tx?: Transaction) => (await targets.read([id], tx)).get(id)?.targetUrl;
    assert.equal(await urlOf(), 'http://first.example/');
    const failed = database.transaction(async (tx) => {
      await change(tx, 'http://uncommitted.example/');
      assert.equal(await urlOf(tx), 'http://uncommitted.example/');
      throw new Error('as if the commit had failed');
    });
    await assert.rejects(failed, /as if the commit had failed/);
    await database.transaction((tx) => change(tx, 'http://second.example/'));
    assert.equal(await urlOf(), 'http://second.example/');
  });
});
