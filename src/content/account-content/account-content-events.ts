import type { Transaction } from '../../database/database.ts';
import type {
  AccountResource,
  EventPublisher,
  EventResources,
  FolderContent,
  FolderResource,
  ServiceEvent,
} from '../../events/event.ts';
import { ProblemError } from '../../problems/problem.ts';
import { type Asset, type AssetType, assetKey, readAssetsWithin } from '../assets/assets.ts';
import { withHolders } from '../assets/holdings.ts';
import { readPublishedCourseInEvent } from '../courses/course-in-event.ts';
import { type FolderAndPath, readFolderInEvent } from '../folders/folder-in-event.ts';

/**
 * Maximum number of assets in one message. It keeps messages below a megabyte, which queues accept, even with the
 * longest names. A larger change of one folder has several events.
 */
export const MAX_ASSETS_AN_EVENT = 500;

/** A change of the content of an account. */
export interface ContentChange {
  subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'CONTENT_REMOVED_FROM_ACCOUNT';
  account: AccountResource;
  /** The added or removed assets. A folder means everything in it and in its subfolders. */
  assets: readonly Asset[];
  user: string;
  /** Maximum number of assets, including those in folders and those of earlier changes. Unlimited by default. */
  maxAssets?: number;
}

/**
 * Publishes the events of a change: one for each folder in which something was added or removed, in the order in
 * which the change names them, a folder before those below it.
 * @throws {ProblemError} `limit-reached`
 */
export async function publishContentChange(
  tx: Transaction,
  events: EventPublisher<Transaction>,
  change: ContentChange,
): Promise<void> {
  await publishContentChanges(tx, events, [change]);
}

/**
 * Publishes the events of several changes, one change after the other, in one call: the publisher locks the lines of
 * all webhooks at once, so that transactions never deadlock. `maxAssets` limits the changes together.
 * @throws {ProblemError} `limit-reached`
 */
export async function publishContentChanges(
  tx: Transaction,
  events: EventPublisher<Transaction>,
  changes: readonly ContentChange[],
): Promise<void> {
  const published: ServiceEvent[] = [];
  let listed = 0;
  for (const change of changes) {
    const { maxAssets = Number.MAX_SAFE_INTEGER } = change;
    const assets = await withoutFolders(tx, change.assets, { max: maxAssets, listed });
    listed += assets.length;
    published.push(...(await eventsOf(tx, change, assets)));
  }
  await events.publish(tx, ...published);
}

async function eventsOf(
  tx: Transaction,
  { subtopic, account, user }: ContentChange,
  assets: readonly Asset<AssetType>[],
): Promise<ServiceEvent[]> {
  const published: ServiceEvent[] = [];
  const byFolder = Map.groupBy(assets, ({ folderId }) => folderId);
  for (const [folderId, within] of byFolder) {
    const folder = await readFolderInEvent(tx, folderId);
    if (folder === undefined) throw new Error(`the folder ${folderId} has content but is not there`);
    for (let from = 0; from < within.length; from += MAX_ASSETS_AN_EVENT) {
      const some = within.slice(from, from + MAX_ASSETS_AN_EVENT);
      published.push({
        subtopic,
        user,
        resource: { account, content: await toContentResource(tx, folder, some) },
        accountId: account.id,
        content: await withHolders(tx, some),
      });
    }
  }
  return published;
}

/**
 * The assets, with folders replaced by their contents. Each appears once, at its first position.
 * @param listed how many assets of the limit `max` earlier changes have used
 */
async function withoutFolders(
  tx: Transaction,
  assets: readonly Asset[],
  { max, listed }: { max: number; listed: number },
): Promise<Asset<AssetType>[]> {
  const distinct = new Map<string, Asset<AssetType>>();
  for (const asset of assets) {
    const named = standsInFolder(asset) ? [asset] : await readAssetsWithin(tx, asset.id, max - listed + 1);
    for (const each of named) distinct.set(assetKey(each), each);
    if (listed + distinct.size > max) {
      throw new ProblemError(
        'limit-reached',
        `The request concerns more than ${max} courses, equivalents and bundles (max_assets_per_call); split it into ` +
          'smaller ones',
      );
    }
  }
  return [...distinct.values()];
}

function standsInFolder(asset: Asset): asset is Asset<AssetType> {
  return asset.type !== 'FOLDER';
}

/** `resource.content` of a message: the folder with the assets, and the course or bundle if it is the only one. */
async function toContentResource(
  tx: Transaction,
  { folder: { id, name, location }, pathWithin }: FolderAndPath,
  assets: readonly Asset<AssetType>[],
): Promise<EventResources[ContentChange['subtopic']]['content']> {
  const contents = assets.map(
    (asset): FolderContent => ({ type: asset.type, id: asset.id, name: asset.name }),
  );
  const folder: FolderResource = { id, name, location, contents };
  const [only] = assets;
  if (only === undefined || assets.length > 1) return { folder };
  if (only.type === 'BUNDLE')
    return { folder, bundle: { id: only.id, name: only.name, location: pathWithin } };
  const course = only.type === 'COURSE' ? await readPublishedCourseInEvent(tx, only.id) : undefined;
  return course === undefined ? { folder } : { course: course.resource, folder };
}
