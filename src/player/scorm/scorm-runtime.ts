import type { Reader } from '../../database/database.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import type { CourseRuntime } from '../course-runtime.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { activityTreeOf } from './course-activity-tree.ts';
import { sharesValue, withGivenValues, withLearnerValues } from './learner-values.ts';
import { isScorm2004, scormRoutes } from './scorm-routes.ts';
import { openScorm12 } from './scorm12-start.ts';
import { openScorm2004 } from './scorm2004-start.ts';
import { begunState, readSequencingState } from './sequencing-state.ts';

/** Plays SCORM 1.1, 1.2 and 2004. */
export function scormRuntime(parts: {
  attempts: AttemptService;
  courses: PlayerCourses;
  reader: Reader;
}): CourseRuntime {
  return {
    standards: [
      'SCORM_11',
      'SCORM_12',
      'SCORM_2004_2ND_EDITION',
      'SCORM_2004_3RD_EDITION',
      'SCORM_2004_4TH_EDITION',
    ],
    openUnit: async (opening) =>
      isScorm2004(opening.course) ? openScorm2004(opening) : openScorm12(opening),
    sequencingOf({ structure }) {
      const tree = activityTreeOf(structure);
      if (tree === null) return null;
      return {
        startOf: (state, values) => ({
          tree,
          state: withLearnerValues(readSequencingState(state, tree), tree, values),
        }),
        begunState(unit) {
          const sequencing = begunState(tree, unit);
          return sequencing === null ? null : { sequencing };
        },
        valuesGiven: (state, values) => withGivenValues(state, tree, values),
        sharesValue: (value) => sharesValue(tree, value),
      };
    },
    routes: (scope) => scormRoutes(scope, parts),
  };
}
