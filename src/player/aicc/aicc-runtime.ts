import type { CourseRuntime } from '../course-runtime.ts';
import { beginPlainSession } from '../sessions/begin-session.ts';
import { launchAddress } from '../sessions/launch-address.ts';
import { lookingMode } from '../sessions/session.ts';
import { AICC_PATH, type AiccRoutesOptions, aiccRoutes } from './aicc-routes.ts';

/** Plays AICC courses. Their units communicate over HACP. */
export function aiccRuntime(options: AiccRoutesOptions & { baseUrl: () => string }): CourseRuntime {
  return {
    standards: ['AICC'],
    async openUnit(opening) {
      const { launch, unit, isReview, baseUrl } = opening;
      const mode = launch.mode === 'normal' && isReview ? 'Review' : lookingMode(launch.mode);
      const { session, secret } = await beginPlainSession(options, opening, mode);
      return {
        script: null,
        address: launchAddress(unit.launch, baseUrl, {
          AICC_SID: `${session.sessionId}.${secret}`,
          AICC_URL: `${baseUrl}${AICC_PATH}`,
        }),
        data: null,
        isReview,
      };
    },
    routes: (scope) => aiccRoutes(scope, options),
  };
}
