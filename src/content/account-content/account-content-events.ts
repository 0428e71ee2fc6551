import type { Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { AssetType } from '../../events/catalogue.ts';
import type {
  ContentReference,
  EventPublisher,
  EventResources,
  FolderResource,
  ServiceEvent,
} from '../../events/event.ts';
import { type Asset, toNamedAsset } from '../assets/assets.ts';
import { withHolders } from '../assets/holdings.ts';
import { readPublishedCourseInEvent } from '../courses/course-in-event.ts';
import { type FolderAndPath, readFolderInEvent } from '../folders/folder-in-event.ts';
import { type ContentChange, changedAssets } from './changed-assets.ts';

/**
 * Maximum number of assets in one message. It keeps messages below a megabyte, which queues accept, even with the
 * longest names. A larger change of one folder has several events.
 */
const MAX_ASSETS_PER_EVENT = 500;

/**
 * Publishes the events of changes that were applied, one change after the other, in one call: the publisher locks the
 * lines of all webhooks at once, so that transactions never deadlock. A change has one event for each folder in which
 * the account gained or lost something, in the order of the change, with each folder before its subfolders. Content that
 * the account has another way is omitted, unless an addition names it. `maxAssets` limits the changes together.
 * @throws {ProblemError} `limit-reached`
 */
export async function publishContentChanges(
  tx: Transaction,
  events: EventPublisher<Transaction>,
  changes: readonly ContentChange[],
): Promise<void> {
  const assets = await changedAssets(tx, changes);
  const parts = new PartsInEvents(tx);
  const published: ServiceEvent[] = [];
  for (const [n, { subtopic, account, user }] of changes.entries()) {
    const byFolder = Map.groupBy(assets[n]!, ({ folderId }) => folderId);
    for (const [folderId, within] of byFolder) {
      for (let from = 0; from < within.length; from += MAX_ASSETS_PER_EVENT) {
        const some = within.slice(from, from + MAX_ASSETS_PER_EVENT);
        const { content, holders } = await parts.of(folderId, some);
        published.push({
          subtopic,
          user,
          resource: { account, content },
          accountId: account.id,
          content: holders,
        });
      }
    }
  }
  await events.publish(tx, ...published);
}

type ContentResource = EventResources[ContentChange['subtopic']]['content'];

/** How events show some assets of a folder, and the assets that a content focus on them may name. */
interface PartInEvents {
  content: ContentResource;
  holders: ContentReference[];
}

/** Reads the data of events, once for the events of all accounts that get or lose the same content. */
class PartsInEvents {
  readonly #tx: Transaction;
  readonly #folders = new Map<number, FolderAndPath>();
  readonly #parts = new Map<string, PartInEvents>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async of(folderId: number, assets: readonly Asset<AssetType>[]): Promise<PartInEvents> {
    const key = assets.map(assetKey).join();
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const part = {
      content: await toContentResource(this.#tx, await this.#folder(folderId), assets),
      holders: await withHolders(this.#tx, assets),
    };
    this.#parts.set(key, part);
    return part;
  }

  async #folder(folderId: number): Promise<FolderAndPath> {
    const folder = this.#folders.get(folderId) ?? (await readFolderInEvent(this.#tx, folderId));
    if (folder === undefined) throw new Error(`the folder ${folderId} has content but does not exist`);
    this.#folders.set(folderId, folder);
    return folder;
  }
}

/** `resource.content` of a message: the folder with the assets, and the course or bundle if it is the only one. */
async function toContentResource(
  tx: Transaction,
  { folder: { id, name, location }, pathWithin }: FolderAndPath,
  assets: readonly Asset<AssetType>[],
): Promise<ContentResource> {
  const folder: FolderResource = { id, name, location, contents: assets.map(toNamedAsset) };
  const [only] = assets;
  if (only === undefined || assets.length > 1) return { folder };
  if (only.type === 'BUNDLE')
    return { folder, bundle: { id: only.id, name: only.name, location: pathWithin } };
  const course = only.type === 'COURSE' ? await readPublishedCourseInEvent(tx, only.id) : undefined;
  return course === undefined ? { folder } : { course, folder };
}
