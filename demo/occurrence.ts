import type { Subtopic } from '../src/events/catalogue.ts';

/** The e-mail address of the demo's API client: the `user` of its events. */
export const CLIENT_EMAIL = 'demo@example.com';
/** Who is invited to the admin UI after the last step. */
export const ADMINISTRATOR_EMAIL = 'administrator@example.com';

/** An event that the demo triggers: what determines who is notified of it, and how. */
export interface Occurrence {
  readonly subtopic: Subtopic;
  /** The name of the account that it is about; null for events of courses. */
  readonly account: string | null;
  /** Who did it. */
  readonly user: string;
}
