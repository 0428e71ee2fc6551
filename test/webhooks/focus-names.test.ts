import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

describe('the name of a focused asset that is deleted', () => {
  let service: TestService;
  let api: Api;
  let make: ContentMaker;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    make = new ContentMaker(service);
  });

  const focusOn = (type: string, id: number, name?: string | null) => ({
    webhook_focus_type: type,
    webhook_focus_id: id,
    ...(name === undefined ? {} : { webhook_focus_name: name }),
  });
  const create = (...focus: object[]) =>
    api.create('/webhooks', webhookInput({ topic: 'REGISTRATION', focus }));
  const namesOf = async (id: number) => {
    const { body } = await api.get(`/webhooks/${id}`);
    return body.focus.map((each: { webhook_focus_name: string | null }) => each.webhook_focus_name);
  };
  async function rename(path: string, name: string) {
    const { body } = await api.get(path);
    assert.equal((await api.put(path, { ...body, name })).status, 200);
  }
  async function remove(path: string) {
    assert.equal((await api.delete(path)).status, 204);
  }

  test('remains its last name, whatever kind of asset it is', async () => {
    const course = await make.course('Course');
    const part = await make.course('Part');
    const equivalent = await make.equivalent('Equivalent', [part]);
    const bundle = await make.bundle('Bundle', [part]);
    const folder = await make.folder('Folder');
    const account = await make.account('Account');
    const assets = [
      ['ACCOUNT', account, `/accounts/${account}`],
      ['COURSE', course.id, `/courses/${course.id}`],
      ['EQUIVALENT', equivalent.id, `/equivalents/${equivalent.id}`],
      ['BUNDLE', bundle.id, `/bundles/${bundle.id}`],
      ['FOLDER', folder, `/folders/${folder}`],
    ] as const;
    const all = await create(...assets.map(([type, id]) => focusOn(type, id)));
    const another = await create(...assets.map(([type, id]) => focusOn(type, id, 'an older name')));
    for (const [type, , path] of assets) await rename(path, `Last name of ${type}`);
    for (const [, , path] of assets) await remove(path);
    const expected = assets.map(([type]) => `Last name of ${type}`);
    assert.deepEqual(await namesOf(all.id), expected);
    assert.deepEqual(await namesOf(another.id), expected);
    const { data } = (await api.get('/webhooks?limit=200')).body;
    const listed = data.find(({ id }: { id: number }) => id === all.id);
    assert.deepEqual(
      listed.focus.map((each: { webhook_focus_name: string }) => each.webhook_focus_name),
      expected,
    );
  });

  test('survives updates, even without a name, until another name is given', async () => {
    const account = await make.account('Northwind');
    const webhook = await create(focusOn('ACCOUNT', account));
    await remove(`/accounts/${account}`);
    const path = `/webhooks/${webhook.id}`;
    const update = async (...focus: object[]) => {
      const answer = await api.put(path, webhookInput({ topic: 'REGISTRATION', focus }));
      assert.equal(answer.status, 200);
      return await namesOf(webhook.id);
    };
    assert.equal((await api.put(path, (await api.get(path)).body)).status, 200);
    assert.deepEqual(await namesOf(webhook.id), ['Northwind']);
    assert.deepEqual(await update(focusOn('ACCOUNT', 900_001), focusOn('ACCOUNT', account)), [
      null,
      'Northwind',
    ]);
    assert.deepEqual(await update(focusOn('ACCOUNT', account, null)), ['Northwind']);
    assert.deepEqual(await update(focusOn('ACCOUNT', account, 'Northwind, closed')), ['Northwind, closed']);
  });

  test('does not change if the deletion is rejected', async () => {
    const course = await make.course('In use');
    await make.bundle('Holds it', [course]);
    const webhook = await create(focusOn('COURSE', course.id));
    assert.equal((await api.delete(`/courses/${course.id}`)).status, 409);
    await rename(`/courses/${course.id}`, 'In use still');
    assert.deepEqual(await namesOf(webhook.id), ['In use still']);
  });

  test('remains while the webhooks service is disabled, too', async () => {
    await using silent = await startTestService({ settings: { enable_webhooks_service: false } });
    const account = await silent.api.create('/accounts', { name: 'Southwind' });
    const webhook = await silent.api.create(
      '/webhooks',
      webhookInput({ focus: [focusOn('ACCOUNT', account.id)] }),
    );
    await silent.api.put(`/accounts/${account.id}`, { name: 'Southwind 2' });
    assert.equal((await silent.api.delete(`/accounts/${account.id}`)).status, 204);
    const { body } = await silent.api.get(`/webhooks/${webhook.id}`);
    assert.equal(body.focus[0].webhook_focus_name, 'Southwind 2');
  });
});
