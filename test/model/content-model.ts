/** The specification's rules for content, accounts and registrations, in plain objects. Nothing here comes from the service's code. */

export type AssetType = 'COURSE' | 'EQUIVALENT' | 'BUNDLE' | 'FOLDER';

export interface AssetReference {
  type: AssetType;
  id: number;
}

export interface Account {
  id: number;
  name: string;
  enabled: boolean;
  /** Assets that the account was given directly. */
  contents: AssetReference[];
}

export interface Folder {
  id: number;
  name: string;
  parentId: number | null;
}

export interface Course {
  id: number;
  name: string;
  folderId: number;
  /** Learning standards by version. */
  versions: string[];
  published: number;
}

export interface Equivalent {
  id: number;
  name: string;
  folderId: number;
  courseIds: number[];
}

export interface Bundle {
  id: number;
  name: string;
  folderId: number;
  contents: AssetReference[];
}

export interface Registration {
  id: string;
  accountId: number;
  courseId: number;
  versionId: number;
  learnerId: string;
  launched: boolean;
  /** Whether its unit was waived. */
  waived: boolean;
  completion: string;
  success: string;
  score: number | null;
  duration: number;
  completionDt: string | null;
}

/** An event, as messages describe it. */
export interface ModelEvent {
  topic: 'ACCOUNT' | 'ACCOUNT_CONTENT' | 'COURSE' | 'REGISTRATION';
  subtopic: string;
  user: string;
  accountId: number | null;
  /** The assets that a content focus is compared with, as `TYPE id`. */
  assets: Set<string>;
  /** `resource` of the message, members in the order of the specification. */
  resource: object;
}

export const HOME = 1;

export function keyOf({ type, id }: AssetReference): string {
  return `${type} ${id}`;
}

/** The content of a service, with the rules of containment and of the events. */
export class ContentModel {
  readonly accounts = new Map<number, Account>();
  readonly folders = new Map<number, Folder>([[HOME, { id: HOME, name: 'Home', parentId: null }]]);
  readonly courses = new Map<number, Course>();
  readonly equivalents = new Map<number, Equivalent>();
  readonly bundles = new Map<number, Bundle>();
  readonly registrations = new Map<string, Registration>();

  /** A folder and those above it, from the root down. */
  chain(folderId: number): Folder[] {
    const folder = this.folders.get(folderId)!;
    return folder.parentId === null ? [folder] : [...this.chain(folder.parentId), folder];
  }

  /** Whether a folder is another one or somewhere below it. */
  isWithin(folderId: number, ancestorId: number): boolean {
    return this.chain(folderId).some(({ id }) => id === ancestorId);
  }

  /** Folder names from Home, as `location` of the folder's contents. */
  path(folderId: number): string {
    return this.chain(folderId)
      .map(({ name }) => name)
      .join(' > ');
  }

  /** Assets and everything that contains one of them. A focus or an account's content may name each of these. */
  withHolders(references: readonly AssetReference[]): Set<string> {
    const held = new Set(references.map(keyOf));
    for (const { id, courseIds } of this.equivalents.values())
      if (courseIds.some((courseId) => held.has(`COURSE ${courseId}`))) held.add(`EQUIVALENT ${id}`);
    for (const { id, contents } of this.bundles.values())
      if (contents.some((each) => held.has(keyOf(each)))) held.add(`BUNDLE ${id}`);
    for (const key of [...held]) {
      const [type, id] = key.split(' ') as [AssetType, string];
      for (const folder of this.chain(this.folderOf({ type, id: Number(id) })))
        held.add(`FOLDER ${folder.id}`);
    }
    return held;
  }

  /** Whether an account may use a course: it was given the course, or something that contains it. */
  accountHolds(account: Account, courseId: number): boolean {
    const holders = this.withHolders([{ type: 'COURSE', id: courseId }]);
    return account.contents.some((each) => holders.has(keyOf(each)));
  }

  folderOf({ type, id }: AssetReference): number {
    if (type === 'FOLDER') return id;
    return { COURSE: this.courses, EQUIVALENT: this.equivalents, BUNDLE: this.bundles }[type].get(id)!
      .folderId;
  }

  nameOf({ type, id }: AssetReference): string {
    return {
      COURSE: this.courses,
      EQUIVALENT: this.equivalents,
      BUNDLE: this.bundles,
      FOLDER: this.folders,
    }[type].get(id)!.name;
  }

  /** Everything that an account, an equivalent or a bundle may name. */
  assets(): AssetReference[] {
    const of = (type: AssetType, all: Map<number, unknown>) => [...all.keys()].map((id) => ({ type, id }));
    return [
      ...of('COURSE', this.courses),
      ...of('EQUIVALENT', this.equivalents),
      ...of('BUNDLE', this.bundles),
      ...of('FOLDER', this.folders),
    ];
  }

  /** Whether an account, an equivalent or a bundle names an asset itself, or a registration is to it. */
  isInUse(reference: AssetReference): boolean {
    const key = keyOf(reference);
    const names = (contents: readonly AssetReference[]) => contents.some((each) => keyOf(each) === key);
    return (
      [...this.accounts.values()].some(({ contents }) => names(contents)) ||
      [...this.bundles.values()].some(({ contents }) => names(contents)) ||
      (reference.type === 'COURSE' &&
        ([...this.equivalents.values()].some(({ courseIds }) => courseIds.includes(reference.id)) ||
          [...this.registrations.values()].some(({ courseId }) => courseId === reference.id)))
    );
  }

  accountEvent(subtopic: string, { id, name, enabled }: Account, user: string): ModelEvent {
    return {
      topic: 'ACCOUNT',
      subtopic,
      user,
      accountId: id,
      assets: new Set(),
      resource: { account: { id, name, enabled } },
    };
  }

  courseEvent(subtopic: string, course: Course, versionId: number, user: string): ModelEvent {
    return {
      topic: 'COURSE',
      subtopic,
      user,
      accountId: null,
      assets: this.withHolders([{ type: 'COURSE', id: course.id }]),
      resource: { content: { course: this.#courseResource(course, versionId) } },
    };
  }

  /**
   * One event for each folder that contains added or removed assets, in the order of the change. It lists what the
   * account, after the change, does not have in another way.
   */
  contentEvents(
    subtopic: string,
    { id, name, enabled, contents }: Account,
    changed: readonly AssetReference[],
    user: string,
  ): ModelEvent[] {
    const account = { id, name, enabled };
    const own = new Set(changed.map(keyOf));
    const others = new Set(contents.map(keyOf).filter((key) => !own.has(key)));
    const hasOtherwise = (asset: AssetReference) =>
      others.has(keyOf(asset)) ||
      this.chain(this.folderOf(asset)).some((folder) => others.has(`FOLDER ${folder.id}`));
    // An addition is published even if the account also has the asset another way, because that way may be newer and
    // was then not published.
    const isNamed = (asset: AssetReference) =>
      subtopic === 'CONTENT_ADDED_TO_ACCOUNT' && own.has(keyOf(asset));
    const published = new Map<string, AssetReference>();
    for (const each of changed)
      for (const asset of each.type === 'FOLDER' ? this.#assetsWithin(each.id) : [each])
        if (isNamed(asset) || !hasOtherwise(asset)) published.set(keyOf(asset), asset);
    const byFolder = Map.groupBy(published.values(), (asset) => this.folderOf(asset));
    return [...byFolder].map(([folderId, assets]) => ({
      topic: 'ACCOUNT_CONTENT',
      subtopic,
      user,
      accountId: id,
      assets: this.withHolders(assets),
      resource: { account, content: this.#contentResource(folderId, assets) },
    }));
  }

  registrationEvent(subtopic: string, registration: Registration, user: string): ModelEvent {
    const { id, name, enabled } = this.accounts.get(registration.accountId)!;
    const course = this.courses.get(registration.courseId)!;
    const status =
      subtopic === 'REGISTRATION_STATUS_UPDATED'
        ? {
            completion: registration.completion,
            success: registration.success,
            score: registration.score,
            duration: registration.duration,
            completion_dt: registration.completionDt,
          }
        : {};
    return {
      topic: 'REGISTRATION',
      subtopic,
      user,
      accountId: id,
      assets: this.withHolders([{ type: 'COURSE', id: course.id }]),
      resource: {
        account: { id, name, enabled },
        content: { course: this.#courseResource(course, registration.versionId) },
        registration: {
          account_id: id,
          registration_id: registration.id,
          course_id: course.id,
          learner_id: registration.learnerId,
          ...status,
        },
      },
    };
  }

  #courseResource({ id, name, folderId, versions }: Course, versionId: number): object {
    return {
      id,
      name,
      version_id: versionId,
      learning_standard: versions[versionId],
      location: this.path(folderId),
    };
  }

  #contentResource(folderId: number, assets: readonly AssetReference[]): object {
    const { id, name, parentId } = this.folders.get(folderId)!;
    const folder = {
      id,
      name,
      location: parentId === null ? '' : this.path(parentId),
      contents: assets.map((asset) => ({ type: asset.type, id: asset.id, name: this.nameOf(asset) })),
    };
    const [only] = assets;
    if (assets.length === 1 && only!.type === 'COURSE') {
      const course = this.courses.get(only!.id)!;
      return { course: this.#courseResource(course, course.published), folder };
    }
    if (assets.length === 1 && only!.type === 'BUNDLE') {
      return { folder, bundle: { id: only!.id, name: this.nameOf(only!), location: this.path(folderId) } };
    }
    return { folder };
  }

  /** The contents of a folder and its subfolders, level by level: courses, equivalents and bundles of each folder, by id. */
  #assetsWithin(folderId: number): AssetReference[] {
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    let level = [folderId];
    const found: AssetReference[] = [];
    while (level.length > 0) {
      for (const id of level.toSorted((a, b) => a - b)) {
        for (const [type, all] of [
          ['COURSE', this.courses],
          ['EQUIVALENT', this.equivalents],
          ['BUNDLE', this.bundles],
        ] as const) {
          const here = [...all.values()].filter((each) => each.folderId === id).sort(byId);
          found.push(...here.map((each) => ({ type, id: each.id })));
        }
      }
      level = [...this.folders.values()]
        .filter(({ parentId }) => level.includes(parentId ?? 0))
        .map(({ id }) => id);
    }
    return found;
  }
}
