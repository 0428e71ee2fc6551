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
 * The keys by which an event is found: a letter for the kind of key, and the value. Ids of content have the letter of
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
