import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { assertCannotCreate, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: configurations are checked before they are stored, as in the tests of updates.

const SUBTOPICS_OF = {
  ACCOUNT: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
  ACCOUNT_CONTENT: ['CONTENT_ADDED_TO_ACCOUNT', 'CONTENT_REMOVED_FROM_ACCOUNT'],
  COURSE: ['COURSE_IMPORTED', 'COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED'],
  REGISTRATION: ['REGISTRATION_LAUNCHED', 'REGISTRATION_STATUS_UPDATED'],
};

describe('the subtopics and focus of a new webhook', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const create = (overrides: Record<string, unknown> = {}) =>
    api.create('/webhooks', webhookInput(overrides));

  test('default to all subtopics of each topic', async () => {
    for (const [topic, subtopics] of Object.entries(SUBTOPICS_OF)) {
      assert.deepEqual((await create({ topic })).subtopics, subtopics);
    }
    for (const topic of ['account', '', null, 1, 'ACCOUNT_CREATED', ['ACCOUNT'], { toString: 1 }])
      await assertCannotCreate(api, { topic }, '/topic');
  });

  test('need at least one subtopic of the topic, and each only once', async () => {
    const chosen = await create({ subtopics: ['ACCOUNT_DELETED', 'ACCOUNT_CREATED'] });
    assert.deepEqual(chosen.subtopics, ['ACCOUNT_CREATED', 'ACCOUNT_DELETED']);
    await assertCannotCreate(api, { subtopics: [] }, '/subtopics');
    await assertCannotCreate(api, { subtopics: null }, '/subtopics');
    await assertCannotCreate(api, { subtopics: 'ACCOUNT_CREATED' }, '/subtopics');
    await assertCannotCreate(
      api,
      { subtopics: ['COURSE_IMPORTED', 'ACCOUNT_DELETED', 'REGISTRATION_LAUNCHED'] },
      '/subtopics/0',
      '/subtopics/2',
    );
    const repeated = ['ACCOUNT_DELETED', 'ACCOUNT_DELETED'];
    await assertCannotCreate(api, { subtopics: repeated }, '/subtopics/1');
    // A repeated subtopic is wrong for every topic.
    for (const topic of [undefined, 'ACCOUNTS'])
      await assertCannotCreate(api, { topic, subtopics: repeated }, '/topic', '/subtopics/1');
    await assertCannotCreate(
      api,
      { subtopics: ['ACCOUNT_DELETED', 'account_created', 7, null] },
      '/subtopics/1',
      '/subtopics/2',
      '/subtopics/3',
    );
  });

  test('exclude the subtopic whose asset the focus cannot name', async () => {
    const focusOn = (type: string) => ({ focus: [{ webhook_focus_type: type, webhook_focus_id: 900_001 }] });
    const account = await create(focusOn('ACCOUNT'));
    assert.deepEqual(account.subtopics, ['ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED']);
    const course = await create({ topic: 'COURSE', ...focusOn('COURSE') });
    assert.deepEqual(course.subtopics, ['COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED']);
    await assertCannotCreate(
      api,
      { ...focusOn('ACCOUNT'), subtopics: ['ACCOUNT_DELETED', 'ACCOUNT_CREATED'] },
      '/subtopics/1',
    );
    await assertCannotCreate(
      api,
      { topic: 'COURSE', ...focusOn('COURSE'), subtopics: ['COURSE_IMPORTED'] },
      '/subtopics/0',
    );
  });

  test('exclude it with all_subtopics, too, because no record with this focus shows it', async () => {
    const focusOn = (type: string) => ({ focus: [{ webhook_focus_type: type, webhook_focus_id: 900_001 }] });
    const all = { all_subtopics: true };
    await assertCannotCreate(
      api,
      { ...focusOn('ACCOUNT'), ...all, subtopics: SUBTOPICS_OF.ACCOUNT },
      '/subtopics/0',
    );
    await assertCannotCreate(
      api,
      { topic: 'COURSE', ...focusOn('COURSE'), ...all, subtopics: SUBTOPICS_OF.COURSE },
      '/subtopics/0',
    );
    const copied = await create({ ...focusOn('ACCOUNT'), ...all, subtopics: SUBTOPICS_OF.ACCOUNT.slice(1) });
    assert.equal(copied.all_subtopics, true);
  });

  test('allow only the focus types of each topic', async () => {
    const types = ['ACCOUNT', 'COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'];
    const taken = { ACCOUNT: ['ACCOUNT'], ACCOUNT_CONTENT: types, COURSE: ['COURSE'], REGISTRATION: types };
    for (const [topic, expected] of Object.entries(taken)) {
      for (const type of types) {
        const focus = [{ webhook_focus_type: type, webhook_focus_id: 1 }];
        if (!expected.includes(type))
          await assertCannotCreate(api, { topic, focus }, '/focus/0/webhook_focus_type');
        else assert.equal((await create({ topic, focus })).focus[0].webhook_focus_type, type);
      }
    }
    await assertCannotCreate(api, { focus: [{ webhook_focus_id: 1 }] }, '/focus/0/webhook_focus_type');
    for (const type of ['account', null, 1, { toString: 1 }, [['ACCOUNT']]]) {
      await assertCannotCreate(
        api,
        { focus: [{ webhook_focus_type: type, webhook_focus_id: 1 }] },
        '/focus/0/webhook_focus_type',
      );
    }
  });

  test('need focuses with a valid id, each only once in the list', async () => {
    const account = (id: unknown) => ({ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id });
    const largest = await create({ focus: [account(Number.MAX_SAFE_INTEGER)] });
    assert.equal(largest.focus[0].webhook_focus_id, Number.MAX_SAFE_INTEGER);
    assert.equal((await api.get(`/webhooks/${largest.id}`)).status, 200);
    for (const id of [0, -1, 1.5, '1', null, Number.MAX_SAFE_INTEGER + 1, 1e300]) {
      await assertCannotCreate(api, { focus: [account(id)] }, '/focus/0/webhook_focus_id');
    }
    await assertCannotCreate(api, { focus: [account(1), account(2), account(1)] }, '/focus/2');
    await assertCannotCreate(api, { focus: {} }, '/focus');
    await assertCannotCreate(api, { focus: null }, '/focus');
    await create({ focus: Array.from({ length: 1_000 }, (_, index) => account(index + 1)) });
    await assertCannotCreate(
      api,
      { focus: Array.from({ length: 1_001 }, (_, index) => account(index + 1)) },
      '/focus',
    );
  });

  test('show the current name of a focused asset, or the given one if it does not exist', async () => {
    const account = await api.create('/accounts', { name: 'Northwind' });
    const { id } = await create({
      focus: [
        { webhook_focus_type: 'ACCOUNT', webhook_focus_id: account.id, webhook_focus_name: 'an old name' },
        { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_001, webhook_focus_name: 'of nobody' },
        { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_002 },
      ],
    });
    const names = async () => {
      const { body } = await api.get(`/webhooks/${id}`);
      return body.focus.map((each: { webhook_focus_name: string | null }) => each.webhook_focus_name);
    };
    assert.deepEqual(await names(), ['Northwind', 'of nobody', null]);
    await api.put(`/accounts/${account.id}`, { name: 'Southwind' });
    assert.deepEqual(await names(), ['Southwind', 'of nobody', null]);
    await api.delete(`/accounts/${account.id}`);
    assert.deepEqual(await names(), ['Southwind', 'of nobody', null]);
  });

  test('need focus names without control characters', async () => {
    const focus = (name: unknown) => [
      { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_001, webhook_focus_name: name },
    ];
    for (const name of ['', 'x'.repeat(200), '🚒 "x"', null]) {
      assert.equal((await create({ focus: focus(name) })).focus[0].webhook_focus_name, name);
    }
    for (const name of ['a\u0000b', 'x'.repeat(201), 7])
      await assertCannotCreate(api, { focus: focus(name) }, '/focus/0/webhook_focus_name');
  });
});
