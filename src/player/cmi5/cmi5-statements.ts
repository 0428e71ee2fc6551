import { randomUUID } from 'node:crypto';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { JsonObject, Statement } from '../lrs/xapi-types.ts';
import { formatDuration } from '../sessions/durations.ts';
import type { Session } from '../sessions/session.ts';
import type { SatisfiedPart } from './cmi5-satisfaction.ts';
import {
  CATEGORY_CMI5,
  CATEGORY_MOVE_ON,
  type Cmi5Verb,
  LAUNCH_MODE,
  LAUNCH_PARAMETERS,
  LAUNCH_URL,
  MASTERY_SCORE,
  MOVE_ON,
  REASON,
  SESSION_ID,
  VERBS,
} from './cmi5-vocabulary.ts';

/** The statements that the service itself makes about a session (cmi5 section 9.3). */

interface Saying {
  session: Session;
  now: number;
}

/** A session has begun. @param launchUrl the unit's address without the launch parameters */
export function launched(saying: Saying, unit: LaunchUnit, launchUrl: string): Statement {
  return statement(saying, 'launched', {
    object: {
      objectType: 'Activity',
      id: saying.session.activityId,
      definition: { name: { und: unit.title } },
    },
    publisherId: unit.id,
    extensions: {
      [LAUNCH_MODE]: saying.session.mode,
      [LAUNCH_URL]: launchUrl,
      [MOVE_ON]: unit.cmi5?.moveOn ?? 'NotApplicable',
      ...(unit.masteryScore === null ? {} : { [MASTERY_SCORE]: unit.masteryScore }),
      ...(unit.launchData === null ? {} : { [LAUNCH_PARAMETERS]: unit.launchData }),
    },
  });
}

/** A session has ended without a `terminated` statement from the unit. */
export function abandoned(saying: Saying): Statement {
  const { session } = saying;
  return statement(saying, 'abandoned', {
    object: { objectType: 'Activity', id: session.activityId },
    publisherId: session.unitId,
    result: { duration: formatDuration(session.activeAt - session.startedAt) },
  });
}

/** The learner need not do the unit. @param reason free text, or a value of cmi5 section 9.5.5.2 */
export function waived(saying: Saying, unit: LaunchUnit, reason: string): Statement {
  return statement(saying, 'waived', {
    object: {
      objectType: 'Activity',
      id: saying.session.activityId,
      definition: { name: { und: unit.title } },
    },
    publisherId: unit.id,
    result: { success: true, completion: true, extensions: { [REASON]: reason } },
    hasMoveOn: true,
  });
}

/** All units of a block, or of the course, are satisfied. */
export function satisfied(
  saying: Saying,
  { activityId, publisherId, type, title }: SatisfiedPart,
): Statement {
  return statement(saying, 'satisfied', {
    object: { objectType: 'Activity', id: activityId, definition: { type, name: { und: title } } },
    publisherId,
  });
}

function statement(
  { session, now }: Saying,
  verb: Cmi5Verb,
  {
    object,
    publisherId,
    extensions = {},
    result,
    hasMoveOn = false,
  }: {
    object: JsonObject;
    publisherId: string;
    extensions?: JsonObject;
    result?: JsonObject;
    hasMoveOn?: boolean;
  },
): Statement {
  return {
    id: randomUUID(),
    actor: session.actor,
    verb: { id: VERBS[verb], display: { en: verb } },
    object,
    ...(result === undefined ? {} : { result }),
    context: {
      registration: session.registration,
      contextActivities: {
        category: [CATEGORY_CMI5, ...(hasMoveOn ? [CATEGORY_MOVE_ON] : [])].map((id) => ({
          objectType: 'Activity',
          id,
        })),
        grouping: [{ objectType: 'Activity', id: publisherId }],
      },
      extensions: { [SESSION_ID]: session.sessionId, ...extensions },
    },
    timestamp: formatDateTime(now),
  };
}
