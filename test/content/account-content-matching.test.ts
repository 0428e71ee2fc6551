import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { ContentReference } from '../../src/events/event.ts';
import type { WebhookService } from '../../src/webhooks/configuration/webhook-service.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { webhookServiceOn } from '../webhooks/webhook-service.ts';
import { ContentWorld } from './account-content-world.ts';

/** The numbers of objects of each kind: few, so that they often contain each other. */
const FOLDERS = 5;
const COURSES = 4;
const EQUIVALENTS = 3;
const BUNDLES = 2;
const ACCOUNTS = 2;

/** Series of changes that are tried. PostgreSQL gets the same statements, each with one round trip. */
const SERIES = ON_POSTGRES ? 20 : 60;

const pick = fc.nat({ max: 1_000 });
const picks = fc.array(pick, { minLength: 1, maxLength: 3 });

/** Indexes into the existing items when they are used, modulo their number. */
const plans = fc.record({
  folderParents: fc.array(pick, { minLength: FOLDERS - 1, maxLength: FOLDERS - 1 }),
  coursePlaces: fc.array(pick, { minLength: COURSES, maxLength: COURSES }),
  equivalents: fc.array(fc.tuple(pick, picks), { minLength: EQUIVALENTS, maxLength: EQUIVALENTS }),
  bundles: fc.array(fc.tuple(pick, picks), { minLength: BUNDLES, maxLength: BUNDLES }),
  focuses: fc.array(
    fc.record({
      accounts: fc.array(pick, { maxLength: 1 }),
      content: fc.array(pick, { maxLength: 2 }),
    }),
    { minLength: 3, maxLength: 6 },
  ),
  changes: fc.array(
    fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), account: pick, assets: picks }),
    { minLength: 3, maxLength: 8 },
  ),
});

/** Content as the model sees it: its folder, and what it directly contains. */
interface ModelAsset extends ContentReference {
  /** For a folder, the folder above it; null for the root. */
  folder: ContentReference | null;
  contents: readonly ContentReference[];
}

const keyOf = ({ type, id }: ContentReference) => `${type} ${id}`;
const at = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
const distinct = <T extends ContentReference>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];

/** Containment, searched from the top down. The services search it from the bottom up. */
class Model {
  readonly assets: ModelAsset[] = [];

  readonly folders = () => this.assets.filter(({ type }) => type === 'FOLDER');

  add(asset: ContentReference, folder: ContentReference | null, contents: readonly ContentReference[] = []) {
    this.assets.push({ ...asset, folder, contents });
  }

  get(reference: ContentReference): ModelAsset {
    return this.assets.find((asset) => keyOf(asset) === keyOf(reference))!;
  }

  /** The direct contents of a folder, and the parts of a bundle or equivalent. */
  #parts(holder: ModelAsset): ModelAsset[] {
    if (holder.type !== 'FOLDER') return holder.contents.map((reference) => this.get(reference));
    return this.assets.filter(({ folder }) => folder !== null && keyOf(folder) === keyOf(holder));
  }

  holds(holder: ContentReference, asset: ContentReference): boolean {
    if (keyOf(holder) === keyOf(asset)) return true;
    return this.#parts(this.get(holder)).some((part) => this.holds(part, asset));
  }

  /** The assets that are added with an asset: the asset itself, or everything in a folder and its subfolders. */
  expand(asset: ModelAsset): ModelAsset[] {
    if (asset.type !== 'FOLDER') return [asset];
    return this.#parts(asset).flatMap((part) => this.expand(part));
  }
}

/** An event in a form that does not depend on the order of its parts. */
const summary = (
  subtopic: string,
  accountId: number | null,
  contents: readonly ContentReference[],
  webhookIds: readonly number[],
) => JSON.stringify([subtopic, accountId, contents.map(keyOf).sort(), [...webhookIds].sort((a, b) => a - b)]);

describe('events of accounts’ content', () => {
  let opened: TestDatabase;
  let world: ContentWorld;
  let webhooks: WebhookService;
  aroundTests(async (parts) => {
    opened = parts.use(await openTestDatabase());
    world = new ContentWorld(opened.database);
    await world.folders.ensureRoot();
    webhooks = webhookServiceOn(opened.database);
  });

  async function build(plan: {
    folderParents: number[];
    coursePlaces: number[];
    equivalents: [number, number[]][];
    bundles: [number, number[]][];
  }): Promise<Model> {
    const model = new Model();
    const folder = async (parent: ContentReference | null) => {
      const id = await world.folder(parent?.id ?? null);
      model.add({ type: 'FOLDER', id }, parent);
    };
    await folder(null);
    for (const index of plan.folderParents) await folder(at(model.folders(), index));
    for (const index of plan.coursePlaces) {
      const place = at(model.folders(), index);
      model.add(await world.course(place.id), place);
    }
    const courses = model.assets.filter(({ type }) => type === 'COURSE');
    for (const [index, indexes] of plan.equivalents) {
      const place = at(model.folders(), index);
      const held = distinct(indexes.map((each) => at(courses, each)));
      model.add(await world.equivalent(place.id, held), place, held);
    }
    const bundled = model.assets.filter(({ type }) => type !== 'FOLDER');
    for (const [index, indexes] of plan.bundles) {
      const place = at(model.folders(), index);
      const held = distinct(indexes.map((each) => at(bundled, each)));
      model.add(await world.bundle(place.id, held), place, held);
    }
    return model;
  }

  it('match the webhooks and list the assets of a simple model of containment', async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const model = await build(plan);
        const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => world.account()));
        const focused: { id: number; accountIds: number[]; content: ContentReference[] }[] = [];
        for (const focus of plan.focuses) {
          const accountIds = focus.accounts.map((index) => at(accounts, index));
          const content = distinct(focus.content.map((index) => at(model.assets, index)));
          const { id } = await webhooks.create(
            {
              name: 'Focused',
              topic: 'ACCOUNT_CONTENT',
              target_url: 'http://127.0.0.1:9/',
              focus: [
                ...accountIds.map((accountId) => ({
                  webhook_focus_type: 'ACCOUNT' as const,
                  webhook_focus_id: accountId,
                })),
                ...content.map((each) => ({ webhook_focus_type: each.type, webhook_focus_id: each.id })),
              ],
            },
            COMMAND_LINE,
          );
          focused.push({ id, accountIds, content });
        }
        const given = new Map(accounts.map((id) => [id, new Set<string>()]));

        for (const change of plan.changes) {
          const accountId = at(accounts, change.account);
          const has = given.get(accountId)!;
          const assets = distinct(change.assets.map((index) => at(model.assets, index)));
          const changed =
            change.kind === 'add'
              ? assets.filter((asset) => !has.has(keyOf(asset)))
              : assets.slice(0, 1).filter((asset) => has.has(keyOf(asset)));
          world.published.length = 0;
          if (change.kind === 'add') {
            const answer = await world.contents.add(accountId, assets, { user: 'someone', by: COMMAND_LINE });
            assert.deepEqual(answer.added.map(keyOf), changed.map(keyOf));
            for (const asset of changed) has.add(keyOf(asset));
          } else if (changed.length > 0) {
            await world.contents.remove(accountId, assets[0]!, { user: 'someone', by: COMMAND_LINE });
            has.delete(keyOf(assets[0]!));
          } else {
            await assert.rejects(
              world.contents.remove(accountId, assets[0]!, { user: 'someone', by: COMMAND_LINE }),
            );
          }

          const subtopic =
            change.kind === 'add' ? 'CONTENT_ADDED_TO_ACCOUNT' : 'CONTENT_REMOVED_FROM_ACCOUNT';
          const own = new Set(changed.map(keyOf));
          const others = model.assets.filter((each) => has.has(keyOf(each)) && !own.has(keyOf(each)));
          const otherwise = new Set(others.flatMap((each) => model.expand(each)));
          const affected = distinct(changed.flatMap((asset) => model.expand(asset))).filter(
            // An addition lists the assets that it names, whatever else the account has.
            (asset) => !otherwise.has(asset) || (change.kind === 'add' && own.has(keyOf(asset))),
          );
          const byFolder = Map.groupBy(affected, ({ folder }) => keyOf(folder!));
          const expected = [...byFolder.values()].map((contents) => {
            const matching = focused.filter(
              (webhook) =>
                (webhook.accountIds.length === 0 || webhook.accountIds.includes(accountId)) &&
                (webhook.content.length === 0 ||
                  webhook.content.some((holder) => contents.some((asset) => model.holds(holder, asset)))),
            );
            return summary(
              subtopic,
              accountId,
              contents,
              matching.map(({ id }) => id),
            );
          });
          const published = world.published.map(({ event, webhookIds }) => {
            const { content } = event.resource as { content: { folder: { contents: ContentReference[] } } };
            return summary(event.subtopic, event.accountId, content.folder.contents, webhookIds);
          });
          assert.deepEqual(published.sort(), expected.sort());
          const withContentFocus = focused.filter(({ content }) => content.length > 0).map(({ id }) => id);
          for (const { webhookIds } of world.published) {
            hits += webhookIds.filter((id) => withContentFocus.includes(id)).length;
          }
        }
        for (const { id } of focused) await webhooks.delete(id, { by: COMMAND_LINE, expected: null });
      }),
      { numRuns: SERIES },
    );
    assert.ok(hits > SERIES, `webhooks with a focus on content were hit ${hits} times`);
  });

  it('are several for a folder that has very much, so that no message grows without bound', async () => {
    const account = await world.account();
    const place = await world.folder(null);
    const ids: number[] = [];
    for (let made = 0; made < 501; made++) ids.push((await world.course(place)).id);
    world.published.length = 0;
    await world.contents.add(account, [{ type: 'FOLDER', id: place }], { user: 'someone', by: COMMAND_LINE });
    const lists = world.published.map(({ event }) => {
      const { content } = event.resource as { content: { folder: { contents: ContentReference[] } } };
      return content.folder.contents.map(({ id }) => id);
    });
    assert.deepEqual(
      lists.map(({ length }) => length),
      [500, 1],
    );
    assert.deepEqual(lists.flat(), ids);
  });
});
