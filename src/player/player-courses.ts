import { requireCourse } from '../content/courses/course-rows.ts';
import { type PlayableVersion, readPlayableVersion } from '../content/courses/playable-version.ts';
import type { Reader } from '../database/database.ts';
import { notFound } from '../problems/problem.ts';
import { MINUTE_MS } from '../time/units.ts';

/** The size of all cached versions together: many hundreds of usual ones, or one or two of the largest. */
const KEPT_CHARACTERS = 8_000_000;
/** A structure that an earlier release did not parse changes once, when it is parsed in the background. */
const KEPT_MS = MINUTE_MS;

interface KeptVersion {
  version: PlayableVersion;
  until: number;
}

/** Reads the versions of courses that are being played, and caches those that were read last. */
export class PlayerCourses {
  readonly #now: () => number;
  readonly #keptCharacters: number;
  /** The least recently used one is first. */
  readonly #kept = new Map<string, KeptVersion>();
  #characters = 0;

  constructor(now: () => number, { keptCharacters = KEPT_CHARACTERS } = {}) {
    this.#now = now;
    this.#keptCharacters = keptCharacters;
  }

  /** @throws {ProblemError} `not-found` */
  async read(reader: Pick<Reader, 'query'>, courseId: number, versionId: number): Promise<PlayableVersion> {
    const key = `${courseId}/${versionId}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > this.#now()) {
      // Moves it to the end.
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.version;
    }
    const version = await readPlayableVersion(reader, courseId, versionId);
    if (version === undefined) {
      await requireCourse(reader, courseId);
      throw notFound('version', versionId);
    }
    this.#keep(key, { version, until: this.#now() + KEPT_MS });
    return version;
  }

  #keep(key: string, kept: KeptVersion): void {
    this.#drop(key);
    this.#kept.set(key, kept);
    this.#characters += kept.version.characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#keptCharacters || oldest === key) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.version.characters ?? 0;
    this.#kept.delete(key);
  }
}
