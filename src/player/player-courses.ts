import { readCourse } from '../content/courses/course-store.ts';
import { type PlayableVersion, readPlayableVersion } from '../content/courses/playable-version.ts';
import type { Reader } from '../database/database.ts';
import { notFound } from '../problems/problem.ts';
import { MINUTE_MS } from '../time/units.ts';

const KEPT_VERSIONS = 200;
/** A structure that an earlier release did not parse changes once, when it is parsed in the background. */
const KEPT_MS = MINUTE_MS;

/** Reads the versions of courses that are being played, and caches the latest of them. */
export class PlayerCourses {
  readonly #now: () => number;
  readonly #kept = new Map<string, { version: PlayableVersion; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws {ProblemError} `not-found` */
  async read(reader: Pick<Reader, 'query'>, courseId: number, versionId: number): Promise<PlayableVersion> {
    const key = `${courseId}/${versionId}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > this.#now()) return kept.version;
    this.#kept.delete(key);
    const version = await readPlayableVersion(reader, courseId, versionId);
    if (version === undefined) {
      const isCourse = (await readCourse(reader, courseId)) !== undefined;
      throw isCourse ? notFound('version', versionId) : notFound('course', courseId);
    }
    if (this.#kept.size >= KEPT_VERSIONS) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(key, { version, until: this.#now() + KEPT_MS });
    return version;
  }
}
