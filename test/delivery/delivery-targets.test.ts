import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../../src/database/database.ts';
import { CredentialsCipher, signingContext } from '../../src/secrets/credentials-cipher.ts';
import { type DeliveryTarget, DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import { keyOf } from '../../src/webhooks/signing/signing-secret.ts';
import { makeDelivery } from '../support/delivery.ts';

const CIPHER = new CredentialsCipher(['s'.repeat(64)]);
/** Times of a change, of the same change that was lost, and of the one after the failover. */
const [BEFORE, LOST, AFTER] = [1, 2, 3];
const urlAt = (time: number) => `http://${time}.example/`;
const secretAt = (time: number) => `whsec_${Buffer.alloc(32, time).toString('base64')}`;

describe('the targets of messages', () => {
  it('are never those of a change that was rolled back, although the next one has its revision', async () => {
    await using delivery = await makeDelivery();
    const { database } = delivery;
    const targets = new DeliveryTargets({ reader: database.reader, cipher: CIPHER });
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

  for (const { lost, change, isFrom } of [
    {
      lost: 'an edit',
      change: (tx: Transaction, id: number, time: number) =>
        tx.run('update webhooks set target_url = ?, updated_at = ? where id = ?', urlAt(time), time, id),
      isFrom: ({ targetUrl }: DeliveryTarget, time: number) => targetUrl === urlAt(time),
    },
    {
      lost: 'a new signing secret',
      change: (tx: Transaction, id: number, time: number) =>
        tx.run(
          'update webhooks set signing_secret = ? where id = ?',
          CIPHER.encrypt(signingContext(id), secretAt(time)),
          id,
        ),
      isFrom: ({ signingKeys }: DeliveryTarget, time: number) =>
        signingKeys?.current.equals(keyOf(secretAt(time))),
    },
  ])
    it(`are not those of ${lost} that a failover lost, although the next one has its revision`, async () => {
      await using delivery = await makeDelivery();
      const { database } = delivery;
      const targets = new DeliveryTargets({ reader: database.reader, cipher: CIPHER });
      const id = await delivery.addWebhook(urlAt(0));
      const become = (time: number, revision: number) =>
        database.transaction(async (tx) => {
          await change(tx, id, time);
          await tx.run('update webhooks set revision = ? where id = ?', revision, id);
        });
      const read = async () => (await targets.read([id])).get(id)!;
      await become(LOST, 2);
      const used = await read();
      await become(BEFORE, 1);
      await become(AFTER, 2);
      const failed = { target: used, message: { occurredAt: AFTER, receiveCount: 1 } };
      assert.deepEqual(await targets.changed(database.reader, [failed]), [id]);
      assert.ok(isFrom(await read(), AFTER));
    });
});
