import type { Reader } from '../../database/database.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import { addressOfTarget, type CourseRuntime } from '../course-runtime.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { activityTreeOf } from './course-activity-tree.ts';
import { sharesValue, withGivenValues, withLearnerValues } from './learner-values.ts';
import { isScorm2004, scormRoutes } from './scorm-routes.ts';
import { scorm12Data } from './scorm12-data.ts';
import { scorm2004Data } from './scorm2004-data.ts';
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
    async openUnit(opening) {
      const { course, unit, isReview, baseUrl } = opening;
      const address = addressOfTarget(unit.launch, baseUrl);
      if (!unit.reports) return { script: null, address, data: null, isReview };
      return isScorm2004(course)
        ? { script: 'scorm2004', address, data: scorm2004Data(opening), isReview }
        : { script: 'scorm12', address, data: scorm12Data(opening), isReview };
    },
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
