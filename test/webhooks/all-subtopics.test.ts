import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { assertInvalid, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite in `npm test`: a webhook's subtopics are decided before it is stored. The tests of updating and of
// events store both kinds on both.

const ALL = ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'];
const WITH_FOCUS = ALL.slice(1);
const FOCUS = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_001 }];

describe('all subtopics, or an explicit list of them', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const create = (overrides: Record<string, unknown> = {}) =>
    api.create('/webhooks', webhookInput(overrides));
  async function update(id: number, body: unknown) {
    const updated = await api.put(`/webhooks/${id}`, body);
    assert.equal(updated.status, 200, JSON.stringify(updated.body));
    assert.deepEqual((await api.get(`/webhooks/${id}`)).body, updated.body);
    return updated.body;
  }
  const chosen = ({ all_subtopics, subtopics }: Record<string, unknown>) => ({ all_subtopics, subtopics });

  describe('a new webhook', () => {
    test('has all without a list, and shows that wherever it is read', async () => {
      const made = await create();
      assert.deepEqual(chosen(made), { all_subtopics: true, subtopics: ALL });
      assert.equal((await api.get(`/webhooks/${made.id}`)).body.all_subtopics, true);
      const { data } = (await api.get('/webhooks?limit=200')).body;
      assert.equal(data.find(({ id }: { id: number }) => id === made.id).all_subtopics, true);
      assert.deepEqual(chosen(await create({ all_subtopics: true, focus: FOCUS })), {
        all_subtopics: true,
        subtopics: WITH_FOCUS,
      });
    });

    test('has the given list, even if that equals the list that all shows', async () => {
      for (const subtopics of [ALL, ['ACCOUNT_DELETED']]) {
        assert.deepEqual(chosen(await create({ subtopics })), { all_subtopics: false, subtopics });
        assert.deepEqual(chosen(await create({ subtopics, all_subtopics: false })), {
          all_subtopics: false,
          subtopics,
        });
      }
      assert.deepEqual(chosen(await create({ subtopics: WITH_FOCUS, focus: FOCUS })), {
        all_subtopics: false,
        subtopics: WITH_FOCUS,
      });
    });

    test('can be a copy of a record that was read', async () => {
      for (const overrides of [{}, { focus: FOCUS }, { subtopics: ALL }, { topic: 'COURSE' }]) {
        const original = await create(overrides);
        assert.deepEqual(chosen(await api.create('/webhooks', original)), chosen(original));
      }
    });
  });

  describe('an update', () => {
    test('with the list that all shows makes it explicit, even after the focus is removed', async () => {
      await using target = await startTarget();
      const account = await api.create('/accounts', { name: 'Northwind' });
      const focus = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: account.id }];
      const { id } = await create({ focus, target_url: target.url });
      const listed = webhookInput({ target_url: target.url, subtopics: WITH_FOCUS, focus: [] });
      for (let turn = 0; turn < 2; turn++) {
        assert.deepEqual(chosen(await update(id, listed)), { all_subtopics: false, subtopics: WITH_FOCUS });
      }
      const other = await api.create('/accounts', { name: 'Southwind' });
      await api.put(`/accounts/${other.id}`, { name: 'Southwind', enabled: false });
      await until(() => target.requests.length > 0, 'a message');
      const first = target.requests[0]?.json as { subtopic: string };
      assert.equal(first.subtopic, 'ACCOUNT_ACTIVATION_UPDATED', 'that it was made is not among the chosen');
    });

    test('with the list of all makes it explicit without any other change', async () => {
      const { id } = await create();
      assert.deepEqual(chosen(await update(id, webhookInput({ subtopics: ALL }))), {
        all_subtopics: false,
        subtopics: ALL,
      });
    });

    test('with a listed subtopic that the focus excludes is rejected', async () => {
      const { id } = await create();
      for (const all of [{}, { all_subtopics: false }]) {
        const input = webhookInput({ subtopics: ALL, focus: FOCUS, ...all });
        assertInvalid(await api.put(`/webhooks/${id}`, input), ['/subtopics/0']);
        assertInvalid(await api.post('/webhooks', input), ['/subtopics/0']);
      }
      assert.deepEqual(chosen((await api.get(`/webhooks/${id}`)).body), {
        all_subtopics: true,
        subtopics: ALL,
      });
    });

    test('with the unchanged record keeps all_subtopics, even after a focus is added and removed', async () => {
      const record = await create();
      const focused = await update(record.id, { ...record, focus: FOCUS });
      assert.deepEqual(chosen(focused), { all_subtopics: true, subtopics: WITH_FOCUS });
      const freed = await update(record.id, { ...focused, focus: [] });
      assert.deepEqual(chosen(freed), { all_subtopics: true, subtopics: ALL });
      // As a client does that read the record before the focus was removed.
      assert.deepEqual(chosen(await update(record.id, focused)), {
        all_subtopics: true,
        subtopics: WITH_FOCUS,
      });
      assert.deepEqual(chosen(await update(record.id, record)), { all_subtopics: true, subtopics: ALL });
    });

    test('with the record as it was read does not change an explicit list', async () => {
      const record = await create({ subtopics: ALL });
      assert.deepEqual(chosen(await update(record.id, record)), { all_subtopics: false, subtopics: ALL });
    });

    test('without a list makes it all again', async () => {
      const { id } = await create({ subtopics: ['ACCOUNT_DELETED'] });
      assert.deepEqual(chosen(await update(id, webhookInput())), { all_subtopics: true, subtopics: ALL });
    });

    test('with another list than the one read makes that list explicit', async () => {
      const record = await create();
      const narrowed = await update(record.id, { ...record, subtopics: WITH_FOCUS });
      assert.deepEqual(chosen(narrowed), { all_subtopics: false, subtopics: WITH_FOCUS });
      const widened = await update(record.id, { ...narrowed, subtopics: ALL });
      assert.deepEqual(chosen(widened), { all_subtopics: false, subtopics: ALL });
    });

    test('does not treat the list of one topic as all of another', async () => {
      const record = await create();
      assertInvalid(await api.put(`/webhooks/${record.id}`, { ...record, topic: 'COURSE' }), [
        '/subtopics/0',
        '/subtopics/1',
        '/subtopics/2',
      ]);
    });
  });

  test('that sets all to false without a list is rejected, because it must not silently mean all', async () => {
    const record = await create({ subtopics: ['ACCOUNT_DELETED'] });
    const { subtopics: _, ...without } = record;
    for (const answer of [
      await api.put(`/webhooks/${record.id}`, without),
      await api.post('/webhooks', webhookInput({ all_subtopics: false })),
    ]) {
      assertInvalid(answer, ['/subtopics']);
      assert.match(answer.body.errors[0].detail, /all_subtopics/);
    }
  });

  test('must be a boolean, and an empty or repeating list is still invalid with it', async () => {
    for (const all_subtopics of [null, 'true', 1, []]) {
      assertInvalid(await api.post('/webhooks', webhookInput({ all_subtopics })), ['/all_subtopics']);
    }
    for (const all_subtopics of [true, false]) {
      assertInvalid(await api.post('/webhooks', webhookInput({ all_subtopics, subtopics: [] })), [
        '/subtopics',
      ]);
      const repeated = [...ALL.slice(0, 2), 'ACCOUNT_CREATED'];
      assertInvalid(await api.post('/webhooks', webhookInput({ all_subtopics, subtopics: repeated })), [
        '/subtopics/2',
      ]);
    }
  });
});
