import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { type AssetReference, ContentMaker, type NamedAsset } from './account-content-helpers.ts';

// Runs on SQLite in `npm test`: the model of containment in the tests of matching checks the same rules on both, and those of many accounts send such events.

const HOME = 1;

describe('events of accounts’ content, to webhooks with a focus', () => {
  let service: TestService;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    make = new ContentMaker(service);
  });

  /**
   * Adds assets to accounts one after another, and returns the additions about which a webhook with the focus got a
   * message. The last addition must be one of them: once its message has arrived, so have all earlier ones.
   */
  async function heard(
    focus: readonly AssetReference[],
    additions: readonly { account: number; asset: NamedAsset }[],
  ): Promise<string[]> {
    await using target = await startTarget();
    const { id } = await service.api.create('/webhooks', {
      name: 'Focused',
      topic: 'ACCOUNT_CONTENT',
      target_url: target.url,
      focus: focus.map((each) => ({ webhook_focus_type: each.type, webhook_focus_id: each.id })),
    });
    for (const { account, asset } of additions) await make.add(account, asset);
    const last = additions.at(-1)!.asset.name;
    const requests = await target.waitFor((received) =>
      received.some(({ text }) => text.includes(JSON.stringify(last))),
    );
    const names = requests.map(({ json }) => {
      const { resource } = json as { resource: { content: { folder: { contents: NamedAsset[] } } } };
      return resource.content.folder.contents.map(({ name }) => name).join();
    });
    await service.api.delete(`/webhooks/${id}`);
    return names;
  }

  it('on accounts, are those of these accounts', async () => {
    const mine = await make.account('Mine');
    const other = await make.account('Other');
    const course = await make.course('Course');
    const last = await make.course('Last');
    const additions = [
      { account: other, asset: course },
      { account: mine, asset: course },
      { account: other, asset: last },
      { account: mine, asset: last },
    ];
    assert.deepEqual(await heard([{ type: 'ACCOUNT', id: mine }], additions), ['Course', 'Last']);
  });

  it('on a course, match the course itself, and not what contains it', async () => {
    const account = await make.account('Any');
    const course = await make.course('Focused course');
    const sibling = await make.course('Sibling');
    const equivalent = await make.equivalent('Holding it', [course]);
    const bundle = await make.bundle('Holding it too', [course, equivalent]);
    const additions = [sibling, equivalent, bundle, course].map((asset) => ({ account, asset }));
    assert.deepEqual(await heard([course], additions), ['Focused course']);
  });

  it('on an equivalent, are those of it and of its courses', async () => {
    const account = await make.account('Any');
    const german = await make.course('Deutsch');
    const english = await make.course('English');
    const other = await make.course('Other');
    const equivalent = await make.equivalent('Equivalent', [german, english]);
    const bundle = await make.bundle('Bundle', [equivalent, other]);
    const additions = [german, other, bundle, equivalent, english].map((asset) => ({ account, asset }));
    assert.deepEqual(await heard([equivalent], additions), ['Deutsch', 'Equivalent', 'English']);
  });

  it('on a bundle, are those of it, its contents, and the courses of its equivalents', async () => {
    const account = await make.account('Any');
    const direct = await make.course('Direct');
    const within = await make.course('Within');
    const other = await make.course('Other');
    const equivalent = await make.equivalent('Equivalent', [within]);
    const bundle = await make.bundle('Bundle', [direct, equivalent]);
    const additions = [other, direct, within, equivalent, bundle].map((asset) => ({ account, asset }));
    assert.deepEqual(await heard([bundle], additions), ['Direct', 'Within', 'Equivalent', 'Bundle']);
  });

  it('on a folder, are those of its contents at any depth, and of their contents', async () => {
    const account = await make.account('Any');
    const top = await make.folder('Top');
    const deep = await make.folder('Deep', await make.folder('Middle', top));
    const beside = await make.course('Beside', HOME);
    const heldOutside = await make.course('Held, but outside', HOME);
    const inDeep = await make.course('In deep', deep);
    const bundle = await make.bundle('Bundle', [heldOutside], deep);
    const additions = [beside, heldOutside, inDeep, bundle].map((asset) => ({ account, asset }));
    assert.deepEqual(await heard([{ type: 'FOLDER', id: top }], additions), [
      'Held, but outside',
      'In deep',
      'Bundle',
    ]);
  });

  it('on a folder, are those of a folder that is added with it or as a part of it, each for itself', async () => {
    const account = await make.account('Any');
    const top = await make.folder('Outer');
    const inner = await make.folder('Inner', top);
    const sibling = await make.folder('Sibling', top);
    await make.course('In outer', top);
    await make.course('In sibling', sibling);
    await make.course('In inner', inner);
    const asset = { type: 'FOLDER', id: top, name: 'In inner' };
    assert.deepEqual(await heard([{ type: 'FOLDER', id: inner }], [{ account, asset }]), ['In inner']);
  });

  it('on several assets, are those of any of them', async () => {
    const account = await make.account('Any');
    const first = await make.course('First');
    const second = await make.course('Second');
    const neither = await make.course('Neither');
    const bundle = await make.bundle('Bundle', [second]);
    const additions = [first, neither, second].map((asset) => ({ account, asset }));
    assert.deepEqual(await heard([first, bundle], additions), ['First', 'Second']);
  });

  it('on accounts and content, are those that meet both', async () => {
    const mine = await make.account('Mine');
    const other = await make.account('Other');
    const course = await make.course('Course');
    const strange = await make.course('Strange');
    const bundle = await make.bundle('Bundle', [course]);
    const additions = [
      { account: other, asset: course },
      { account: mine, asset: strange },
      { account: other, asset: bundle },
      { account: mine, asset: course },
      { account: mine, asset: bundle },
    ];
    assert.deepEqual(await heard([{ type: 'ACCOUNT', id: mine }, bundle], additions), ['Course', 'Bundle']);
  });
});
