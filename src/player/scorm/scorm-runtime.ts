import type { Reader } from '../../database/database.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import type { CourseRuntime } from '../course-runtime.ts';
import type { PlayerCourses } from '../courses/player-courses.ts';
import { scormRoutes } from './scorm-routes.ts';
import { openScorm12 } from './scorm12-start.ts';

/** Plays SCORM 1.1 and 1.2. */
export function scormRuntime(parts: {
  attempts: AttemptService;
  courses: PlayerCourses;
  reader: Reader;
}): CourseRuntime {
  return {
    standards: ['SCORM_11', 'SCORM_12'],
    openUnit: async (opening) => openScorm12(opening),
    routes: (scope) => scormRoutes(scope, parts),
  };
}
