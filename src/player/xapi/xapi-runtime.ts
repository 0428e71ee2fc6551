import type { CourseRuntime } from '../course-runtime.ts';
import { beginPlainSession, type SessionRuntimeOptions } from '../sessions/begin-session.ts';
import { launchAddress } from '../sessions/launch-address.ts';
import { lookingMode } from '../sessions/session.ts';
import { SessionScopes } from '../sessions/session-scopes.ts';
import type { ADDRESS_PARAMETERS } from './xapi-rules.ts';

/** Plays xAPI (Tin Can) courses. */
export function xapiRuntime(options: SessionRuntimeOptions): CourseRuntime {
  return {
    standards: ['XAPI'],
    async openUnit(opening) {
      const { launch, unit, baseUrl } = opening;
      const { session, secret } = await beginPlainSession(options, opening, lookingMode(launch.mode));
      return {
        script: null,
        address: launchAddress<(typeof ADDRESS_PARAMETERS)[number]>(unit.launch, baseUrl, {
          endpoint: `${baseUrl}/xapi/`,
          auth: `Basic ${SessionScopes.credential(session.sessionId, secret)}`,
          actor: JSON.stringify(session.actor),
          registration: session.registration,
          activity_id: session.activityId,
        }),
        data: null,
        // Statements count, whatever the unit has reported before.
        isReview: launch.mode !== 'normal',
      };
    },
  };
}
