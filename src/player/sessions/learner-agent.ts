import type { Reader } from '../../database/database.ts';
import { termOf } from '../lrs/statements/statement-index.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import { readFirstActor } from './session-store.ts';

/** The identifiers of learners, units and courses in statements. */

/**
 * The xAPI agent of a learner. Each account has its own learner ids, so the agent includes the account. A registration
 * keeps the agent of its first session even if the service's URL changes, because resuming depends on it.
 */
export async function learnerOf(
  reader: Pick<Reader, 'all'>,
  baseUrl: string,
  { registrationId, accountId, learnerId }: { registrationId: string; accountId: number; learnerId: string },
): Promise<JsonObject> {
  const first = await readFirstActor(reader, registrationId);
  return first ?? agentOf(`${baseUrl}/accounts/${accountId}`, learnerId);
}

/** An xAPI agent with an account. */
export function agentOf(homePage: string, name: string): JsonObject {
  return { objectType: 'Agent', name, account: { homePage, name } };
}

/** The IRI of a part of a course, as an activity of this service. It is the same for all learners and sessions. */
export function activityIdOf(baseUrl: string, courseId: number, publisherId: string): string {
  return `${baseUrl}/courses/${courseId}/activities/${termOf(publisherId)}`;
}
