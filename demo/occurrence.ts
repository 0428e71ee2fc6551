import type { Subtopic } from '../src/events/catalogue.ts';

/** The e-mail address of the demo's API client: `user` of what it causes. */
export const CLIENT_EMAIL = 'demo@example.com';
/** Who is invited to the admin UI once the walk is over. */
export const ADMINISTRATOR_EMAIL = 'administrator@example.com';

/** An event that the demo causes, as far as it decides who is told of it, and what they are told. */
export interface Occurrence {
  readonly subtopic: Subtopic;
  /** The name of the account that it is about; null for events of courses. */
  readonly account: string | null;
  /** Who did it. */
  readonly user: string;
}
