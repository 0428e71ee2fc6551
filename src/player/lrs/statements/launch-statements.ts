import { ProblemError } from '../../../problems/problem.ts';
import { inSlices } from '../../../time/time-slices.ts';
import { isOfLaunch, type LaunchScope } from '../lrs-scope.ts';
import type { Statement } from '../xapi-types.ts';
import { isSameAgent } from './statement-form.ts';
import { activitiesIn } from './statement-index.ts';

/**
 * Requires that statements are about the learner, the registration and the activities of a launch. Lets the event loop turn
 * between them.
 * @throws {ProblemError} `forbidden`
 */
export async function assertAllOfLaunch(
  launch: LaunchScope,
  statements: readonly Statement[],
): Promise<void> {
  for await (const each of inSlices(statements)) assertOfLaunch(launch, each);
}

/** @throws {ProblemError} `forbidden` */
function assertOfLaunch(launch: LaunchScope, statement: Statement): void {
  if (statement.actor.objectType === 'Group' || !isSameAgent(statement.actor, launch.actor)) {
    throw new ProblemError('forbidden', 'The actor is not the learner of this launch');
  }
  const registration = statement.context?.registration;
  if (typeof registration === 'string' && registration.toLowerCase() !== launch.registration) {
    throw new ProblemError('forbidden', 'The registration is not that of this launch');
  }
  const isAboutActivity = (statement.object.objectType ?? 'Activity') === 'Activity';
  if (isAboutActivity && !activitiesIn(statement).some(({ id }) => isOfLaunch(launch, id))) {
    throw new ProblemError(
      'forbidden',
      'Neither the object nor the context is an activity of this launch, or below one',
    );
  }
}
