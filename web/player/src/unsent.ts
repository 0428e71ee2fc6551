import { DAY_MS } from '../../../src/time/units.ts';
import { noteLoss } from './lost-work.ts';
import { storages } from './storages.ts';

/**
 * Stores unsent data where it outlives the tab: in the browser's storage of the player's origin. The key contains the
 * registration and the attempt, so learners who share a browser never get each other's data.
 */

/** A stored write, which contains the whole body of the request. */
export interface UnsentWrite {
  page: number;
  sequence: number;
}

/** Where a write is sent, below the launch's token: the data of a unit, or that an asset was opened. */
export type UnsentPath = 'commit' | 'asset';

/** The registration and attempt that a write belongs to. */
export interface UnsentOwner {
  registration: string;
  attempt: number;
}

interface Entry {
  keptAt: number;
  /** Number of page openings that tried to send it. */
  tries: number;
  /** Whether the page said that it will be saved. Otherwise, it may be a copy of what the service has. */
  isPromised: boolean;
  path: UnsentPath;
  write: UnsentWrite;
}

const PREFIX = 'coursewire-unsent';
/** Older unsent data of registrations that are not opened again is removed. */
const KEPT_MS = 30 * DAY_MS;
/** A write that cannot be sent must not lock the learner out forever: then the learner may give it up. */
const MOST_TRIES = 5;

/**
 * Stores a write, unless a newer one of the same attempt is stored. An older one stays if there is no room. Returns whether
 * this or a newer write is in the storage that outlives the tab. Browsers may allow none, or only one that does not.
 * @param options.replaces whether it may replace the unsent data of others if the storage is full
 * @param options.isPromised whether the page has said that it will be saved
 */
export function keepUnsent(
  owner: UnsentOwner,
  path: UnsentPath,
  write: UnsentWrite,
  { replaces, isPromised }: { replaces: boolean; isPromised: boolean },
): boolean {
  const key = keyOf(owner);
  const kept = entryAt(key);
  const entry = { keptAt: Date.now(), tries: 0, isPromised, path, write };
  const hasNewer = kept !== null && isNewer(kept.write, write);
  if (!hasNewer && !put(key, entry, replaces ? 'replaces' : 'moves')) return false;
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/**
 * Removes the stored write of an attempt, once the service has stored or rejected this write. A newer one stays.
 * @returns whether it was still stored
 */
export function forgetUnsent(owner: UnsentOwner, write: UnsentWrite): boolean {
  const kept = entryAt(keyOf(owner));
  if (kept === null || isNewer(kept.write, write)) return false;
  remove(keyOf(owner));
  return true;
}

/** Whether unsent data of any registration is stored. */
export function hasUnsent(): boolean {
  return keys().length > 0;
}

/** A write that an earlier page did not send. */
export interface Unsent {
  path: UnsentPath;
  write: UnsentWrite;
  /** Whether the page that left it has said that it will be saved. */
  isPromised: boolean;
  /** Whether sending it has failed so often that the learner may give it up. */
  isStuck: boolean;
}

/**
 * Removes data of earlier attempts of a registration, and data of other registrations that is too old. What the current
 * attempt left stays, however old it is: the service decides whether to accept it. The clock may also have been wrong.
 * @returns the registrations whose removed data a page has said will be saved
 */
export function removeFormer(owner: UnsentOwner): string[] {
  const promised = new Set<string>();
  for (const key of keys().filter((each) => each !== keyOf(owner))) {
    const entry = entryAt(key);
    const registration = registrationOf(key);
    const isTooOld = entry === null || Math.abs(Date.now() - entry.keptAt) > KEPT_MS;
    if (registration !== owner.registration && !isTooOld) continue;
    if (entry?.isPromised) promised.add(registration);
    remove(key);
  }
  return [...promised];
}

/** The write that an earlier page of the attempt did not send; null if there is none. Counts as another try. */
export function takeUnsent(owner: UnsentOwner): Unsent | null {
  const wanted = keyOf(owner);
  const entry = entryAt(wanted);
  if (entry === null) return null;
  const { path, write, isPromised } = entry;
  const tries = entry.tries + 1;
  put(wanted, { ...entry, tries }, 'stays');
  return { path, write, isPromised, isStuck: tries >= MOST_TRIES };
}

function keyOf({ registration, attempt }: UnsentOwner): string {
  return `${PREFIX} ${registration} ${attempt}`;
}

/** The registration in a key of {@link keyOf}. */
function registrationOf(key: string): string {
  return key.split(' ')[1] ?? '';
}

function isNewer(one: UnsentWrite, other: UnsentWrite): boolean {
  return one.page === other.page ? one.sequence > other.sequence : one.page > other.page;
}

function keys(): string[] {
  const names = storages().flatMap((storage) => Object.keys(storage));
  return [...new Set(names.filter((name) => name.startsWith(`${PREFIX} `)))];
}

function entryAt(key: string): Entry | null {
  for (const storage of storages()) {
    const text = storage.getItem(key);
    if (text === null) continue;
    try {
      const entry = JSON.parse(text) as Partial<Entry> | null;
      // Courses can also write here.
      if (typeof entry?.keptAt === 'number' && typeof entry.write?.sequence === 'number') {
        const { keptAt, tries = 0, isPromised = false, write } = entry;
        // Earlier releases stored only data of units, without the path.
        return { keptAt, tries, isPromised, path: entry.path === 'asset' ? 'asset' : 'commit', write };
      }
    } catch {
      // This page did not write it.
    }
    storage.removeItem(key);
  }
  return null;
}

/**
 * Returns whether a storage has room for the entry.
 * @param whenFull if a storage is full, the entry replaces others, moves to the next storage, or stays as it was there
 */
function put(key: string, entry: Entry, whenFull: 'replaces' | 'moves' | 'stays'): boolean {
  const text = JSON.stringify(entry);
  const all = storages();
  for (const storage of all) {
    if (tryPut(storage, key, text) || (whenFull === 'replaces' && putInPlaceOfOlder(storage, key, text))) {
      // An older entry would hide this one.
      for (const other of all) if (other !== storage) other.removeItem(key);
      return true;
    }
    if (whenFull === 'stays' && storage.getItem(key) !== null) return false;
  }
  return false;
}

/** Whether there is room. If not, what was stored before stays. */
function tryPut(storage: Storage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes other entries until there is room, the oldest first. Entries that a page has promised to save come last, and
 * their loss is noted. If that is not enough, they stay. Browsers give an origin about 5 million characters, which
 * courses also use.
 */
function putInPlaceOfOlder(storage: Storage, key: string, text: string): boolean {
  const others = Object.keys(storage).filter((name) => name.startsWith(`${PREFIX} `) && name !== key);
  const entries = others.map((name) => ({ name, isPromised: false, keptAt: 0, ...entryAt(name) }));
  entries.sort(
    (one, other) => Number(one.isPromised) - Number(other.isPromised) || one.keptAt - other.keptAt,
  );
  const removed: { name: string; isPromised: boolean; former: string }[] = [];
  for (const { name, isPromised } of entries) {
    const former = storage.getItem(name);
    if (former !== null) removed.push({ name, isPromised, former });
    storage.removeItem(name);
    if (!tryPut(storage, key, text)) continue;
    for (const each of removed) if (each.isPromised) noteLoss(registrationOf(each.name));
    return true;
  }
  for (const { name, former } of removed) tryPut(storage, name, former);
  return false;
}

function remove(key: string): void {
  for (const storage of storages()) storage.removeItem(key);
}
