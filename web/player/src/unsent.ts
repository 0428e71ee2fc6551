/**
 * Keeps what a page could not send where it outlives the tab: in the browser's storage of the player's origin, under
 * the registration and attempt that it belongs to, so that learners who share a browser never get each other's.
 */

/** What is kept of a write; the whole body of the request is in it. */
export interface UnsentWrite {
  page: number;
  sequence: number;
}

/** Whose writes are kept. */
export interface UnsentOwner {
  registration: string;
  attempt: number;
}

interface Entry {
  keptAt: number;
  /** Openings that failed to send it. */
  tries: number;
  write: UnsentWrite;
}

const PREFIX = 'coursewire-unsent';
/** Older unsent data is removed. */
const KEPT_MS = 30 * 86_400_000;
/** The oldest make room: browsers give an origin about 5 million characters, which courses use as well. */
const MOST_ENTRIES = 8;
/** A write that the service cannot accept must not lock the learner out forever. */
const MOST_TRIES = 5;

/** Keeps a write, unless a newer one of the same attempt is kept. */
export function keepUnsent(owner: UnsentOwner, write: UnsentWrite): void {
  const kept = entryAt(keyOf(owner));
  if (kept !== null && isNewer(kept.write, write)) return;
  put(keyOf(owner), { keptAt: Date.now(), tries: 0, write });
}

/** Removes what is kept of an attempt, once the service has this write or has refused it. */
export function forgetUnsent(owner: UnsentOwner, write: UnsentWrite): void {
  const kept = entryAt(keyOf(owner));
  if (kept !== null && !isNewer(kept.write, write)) remove(keyOf(owner));
}

/** Whether anything is kept, of whichever registration. */
export function hasUnsent(): boolean {
  return keys().length > 0;
}

/**
 * The write that an earlier page of the attempt could not send; null when there is none. Counts as one more try. What
 * belongs to an earlier attempt of the registration, or is too old, is removed.
 */
export function takeUnsent({ registration, attempt }: UnsentOwner): UnsentWrite | null {
  const wanted = keyOf({ registration, attempt });
  for (const key of keys()) {
    const entry = entryAt(key);
    const isOfFormerAttempt = key.startsWith(`${PREFIX} ${registration} `) && key !== wanted;
    const isTooOld = entry === null || Math.abs(Date.now() - entry.keptAt) > KEPT_MS;
    if (isOfFormerAttempt || isTooOld || entry.tries >= MOST_TRIES) remove(key);
  }
  const entry = entryAt(wanted);
  if (entry === null) return null;
  put(wanted, { ...entry, tries: entry.tries + 1 });
  return entry.write;
}

function keyOf({ registration, attempt }: UnsentOwner): string {
  return `${PREFIX} ${registration} ${attempt}`;
}

function isNewer(one: UnsentWrite, other: UnsentWrite): boolean {
  return one.page === other.page ? one.sequence > other.sequence : one.page > other.page;
}

/** A browser may allow one kind of storage and not the other; a reload finds both, a closed tab the first. */
function storages(): Storage[] {
  const found: Storage[] = [];
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      found.push(window[name]);
    } catch {
      // Not allowed: the page itself still has what is unsent.
    }
  }
  return found;
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
      // Courses can write here too.
      if (typeof entry?.keptAt === 'number' && typeof entry.write?.sequence === 'number') {
        return { keptAt: entry.keptAt, tries: entry.tries ?? 0, write: entry.write };
      }
    } catch {
      // Nothing that this page wrote.
    }
    storage.removeItem(key);
  }
  return null;
}

function put(key: string, entry: Entry): void {
  const text = JSON.stringify(entry);
  for (const [at, storage] of storages().entries()) {
    makeRoom(storage, key);
    if (!tryPut(storage, key, text)) continue;
    for (const other of storages().slice(at + 1)) other.removeItem(key);
    return;
  }
}

function tryPut(storage: Storage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    // Full: an older state of this attempt would be worse than none in the next storage.
    storage.removeItem(key);
    return false;
  }
}

function makeRoom(storage: Storage, key: string): void {
  const others = Object.keys(storage).filter((name) => name.startsWith(`${PREFIX} `) && name !== key);
  const ages = others.map((name) => ({ name, keptAt: entryAt(name)?.keptAt ?? 0 }));
  ages.sort((one, other) => one.keptAt - other.keptAt);
  for (const { name } of ages.slice(0, Math.max(0, ages.length - MOST_ENTRIES + 1))) storage.removeItem(name);
}

function remove(key: string): void {
  for (const storage of storages()) storage.removeItem(key);
}
