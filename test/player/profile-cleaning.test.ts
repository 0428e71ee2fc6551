import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DocumentService } from '../../src/player/lrs/document-service.ts';
import { upsertDocument } from '../../src/player/lrs/document-store.ts';
import { openTestDatabase } from '../support/database.ts';

describe('profiles of learners without registrations', () => {
  test('are deleted in steps of limited size, however many there are, and no others', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    const document = (key: string, learner: string | null) => ({
      document_key: key,
      collection_key: 'c',
      registration_id: null,
      registration: '',
      document_id: key,
      content_type: 'application/json',
      content: '',
      etag: '""',
      updated_at: 1,
      learner_account_id: learner === null ? null : 1,
      learner_id: learner,
    });
    await database.transaction(async (tx) => {
      // One learner has more profiles than are looked at together.
      for (let at = 0; at < 600; at++) await upsertDocument(tx, document(`a${at}`, 'ann'));
      for (let at = 0; at < 650; at++) await upsertDocument(tx, document(`l${at}`, `learner ${at}`));
      await upsertDocument(tx, document('other', null));
    });
    const documents = new DocumentService({ database, now: Date.now });
    const deleted: number[] = [];
    do deleted.push(await documents.forgetLearners(500));
    while (deleted.at(-1) === 500);
    assert.deepEqual(deleted, [500, 500, 250]);
    const left = await database.reader.all('select document_key from lrs_documents');
    assert.deepEqual(left, [{ document_key: 'other' }]);
  });
});
