import { contentOf, equivalentOf, type StoredEvent } from './stored-event.ts';

/** Filters of events, all of which must match. */
export interface EventFilter {
  subtopic?: string | undefined;
  user?: string | undefined;
  account_id?: number | undefined;
  course_id?: number | undefined;
  equivalent_id?: number | undefined;
  bundle_id?: number | undefined;
  registration_id?: string | undefined;
  learner_id?: string | undefined;
}

/**
 * The format of the keys of an event. Raise it when you add a kind of key: what earlier releases summarized lacks it.
 * 2: events of registrations for an equivalent have its key.
 */
export const KEY_FORMAT = 2;
/** The format of a block with an event that could not be read. It has none of the keys completely, so no search skips it. */
export const NO_KEY_FORMAT = 0;

/** The kinds of keys that some events lack in earlier formats, and the format since when all have them. */
const COMPLETE_SINCE: ReadonlyMap<string, number> = new Map([['E', 2]]);

/**
 * The keys of an event in the index: a letter for the kind of key, and the value. Ids of content have the letter of
 * their type.
 */
export function keysOf(event: Pick<StoredEvent, 'subtopic' | 'user' | 'resource' | 'focused'>): string[] {
  const { subtopic, user, resource } = event;
  const { account, registration } = resource;
  const equivalentId = equivalentOf(event);
  const keys = [`S${subtopic}`, `U${user}`];
  if (account !== undefined) keys.push(`A${account.id}`);
  for (const { type, id } of contentOf(resource)) keys.push(`${type[0]}${id}`);
  if (equivalentId !== null) keys.push(`E${equivalentId}`);
  if (registration !== undefined) {
    keys.push(`R${registration.registration_id}`, `L${registration.learner_id}`);
  }
  return keys;
}

/** Those of the keys that every event with them has in a format. */
export function keysCompleteIn(format: number, keys: readonly string[]): string[] {
  return keys.filter((key) => (COMPLETE_SINCE.get(key[0]!) ?? 1) <= format);
}

/** The keys that all matching events have. */
export function keysOfFilter(filter: EventFilter): string[] {
  const keys: string[] = [];
  const add = (letter: string, value: string | number | undefined) => {
    if (value !== undefined) keys.push(`${letter}${value}`);
  };
  add('S', filter.subtopic);
  add('U', filter.user);
  add('A', filter.account_id);
  add('C', filter.course_id);
  add('E', filter.equivalent_id);
  add('B', filter.bundle_id);
  add('R', filter.registration_id);
  add('L', filter.learner_id);
  return keys;
}
