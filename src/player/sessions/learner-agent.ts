import type { Reader } from '../../database/database.ts';
import { termOf } from '../lrs/statement-index.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import { readFirstActor } from './session-store.ts';

/** The identifiers of learners, units and courses in statements. */

/**
 * A learner as an agent. Accounts name their learners each for itself, so the account is a part of it. A registration
 * keeps the agent of its first session, also when the service's address changes: resuming depends on it.
 */
export async function learnerOf(
  reader: Pick<Reader, 'all'>,
  baseUrl: string,
  { registrationId, accountId, learnerId }: { registrationId: string; accountId: number; learnerId: string },
): Promise<JsonObject> {
  const first = await readFirstActor(reader, registrationId);
  return first ?? agentOf(`${baseUrl}/accounts/${accountId}`, learnerId);
}

/** An agent with an account. */
export function agentOf(homePage: string, name: string): JsonObject {
  return { objectType: 'Agent', name, account: { homePage, name } };
}

/** A part of a course as an activity of this service's own, the same for all learners and sessions. */
export function activityIdOf(baseUrl: string, courseId: number, publisherId: string): string {
  return `${baseUrl}/courses/${courseId}/activities/${termOf(publisherId)}`;
}
