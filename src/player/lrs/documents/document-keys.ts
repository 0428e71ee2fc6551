import { ProblemError } from '../../../problems/problem.ts';
import { isOfLaunch, type LrsScope } from '../lrs-scope.ts';
import { agentIdentity, termOf } from '../statements/statement-index.ts';
import type { DocumentCollection } from './document.ts';

/** What a document and its collection are stored under. */
export interface DocumentKeys {
  /** The registration that owns the document; null if no launch does. */
  registrationId: string | null;
  /** The registration that a request names, in lower case; for a state, that of the launch if it names none. */
  registration: string | null;
  collection: string;
  document: string;
}

/**
 * The keys of a document. A launch's documents belong to its registration, except the learner's profile. A launched
 * course may omit the registration, which defaults to that of the launch.
 * @throws {ProblemError} `forbidden`
 */
export function keysOf(scope: LrsScope, collection: DocumentCollection, id: string): DocumentKeys {
  const { kind, activityId, agent } = collection;
  const { launch } = scope;
  const identity = agentIdentity(agent);
  let registration = collection.registration?.toLowerCase() ?? null;
  if (launch !== null) {
    if (agent !== null && identity !== agentIdentity(launch.actor)) {
      throw new ProblemError('forbidden', 'The agent is not the learner of this launch');
    }
    if (activityId !== null && !isOfLaunch(launch, activityId)) {
      throw new ProblemError('forbidden', 'The activity does not belong to this launch');
    }
    if (kind === 'state') registration ??= launch.registration;
    if (registration !== null && registration !== launch.registration) {
      throw new ProblemError('forbidden', 'The registration is not that of this launch');
    }
  }
  // If all launches shared an activity's profile, a course could use it to pass data from one learner to another.
  const owner = kind === 'activity-profile' && launch !== null ? launch.registrationId : null;
  const belongsTo = kind === 'agent-profile' ? null : (launch?.registrationId ?? null);
  const collectionText = JSON.stringify([kind, owner, activityId, identity]);
  return {
    registrationId: belongsTo,
    registration,
    collection: termOf(collectionText),
    document: termOf(JSON.stringify([collectionText, registration, id])),
  };
}
