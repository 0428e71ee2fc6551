import type { Logger } from '../../observability/log.ts';
import type { PlayerLaunch } from '../launches/launch.ts';

/** Maximum number of launches to remember. If there are more, a launch may have a second line. */
const MAX_LAUNCHES = 1_000;
/** Maximum length of a version in the log. */
const MAX_VERSION_LENGTH = 20;

/**
 * Logs the versions of xAPI that are refused to courses, once per launch: nothing else would say why a course of an older
 * version, such as 0.95, records nothing.
 */
export class RefusedVersions {
  readonly #log: Logger;
  readonly #launches = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param version null if a request names none */
  note({ launchId, registrationId, courseId }: PlayerLaunch, version: string | null): void {
    if (this.#launches.has(launchId)) return;
    if (this.#launches.size >= MAX_LAUNCHES) this.#launches.clear();
    this.#launches.add(launchId);
    this.#log.warn('requests of a course are refused, because their xAPI version is not supported', {
      registration_id: registrationId,
      course_id: courseId,
      xapi_version: version?.slice(0, MAX_VERSION_LENGTH) ?? null,
    });
  }
}
