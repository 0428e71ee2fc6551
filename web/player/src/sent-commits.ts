import { type Commit, MOST_SPLICES, smallest, suspendDataOf } from './commit.ts';
import type { Snapshot } from './scorm-session.ts';

/** The commits of a unit that the service may have. A page that is being closed may send only the changes to them. */
export class SentCommits {
  /** The suspend data before the first commit. */
  readonly #began: string;
  /** The latest commit that the service acknowledged, and those sent since. The service may have any of them. */
  #commits: Commit[] = [];
  /** The sequence number of the newest commit that the service acknowledged. */
  #savedUpTo = 0;
  /** Whether the service must have one of the commits. */
  #isAcknowledged = false;

  /** @param began the data of the unit before the first commit */
  constructor(began: Partial<Snapshot>) {
    this.#began = suspendDataOf(began);
  }

  /** The commit that was sent last; undefined before the first. */
  get newest(): Commit | undefined {
    return this.#commits.at(-1);
  }

  /** Whether the service has acknowledged the newest commit. */
  get areSaved(): boolean {
    return (this.newest?.sequence ?? 0) <= this.#savedUpTo;
  }

  /** Notes that a commit is sent. Without a connection, commits would accumulate, so those in the middle are dropped. */
  add(commit: Commit): void {
    this.#commits.push(commit);
    if (this.#commits.length < MOST_SPLICES) return;
    this.#commits.splice(1, 1);
    this.#isAcknowledged = false;
  }

  /** The service has this commit or a later one, and no earlier one. */
  acknowledge({ sequence }: Commit): void {
    this.#commits = this.#commits.filter((each) => each.sequence >= sequence);
    this.#isAcknowledged = true;
    this.#savedUpTo = Math.max(this.#savedUpTo, sequence);
  }

  /** The body of a commit. @param most how many bytes are small enough, see {@link smallest} */
  bodyOf(commit: Commit, most: number): string {
    const [began, sent, isAcknowledged] = [this.#began, this.#commits, this.#isAcknowledged];
    return smallest(commit, { began, sent, isAcknowledged, most });
  }
}
