import { type Commit, MOST_SPLICES, smallest, suspendDataOf } from './commit.ts';
import { KnownText } from './known-text.ts';
import type { Snapshot } from './scorm-session.ts';

interface SentCommit {
  commit: Commit;
  /** Its suspend data. Commits with the same data share it. */
  text: KnownText;
}

/** The commits of a unit that the service may have. A page that is being closed may send only the changes to them. */
export class SentCommits {
  /** The suspend data before the first commit. */
  readonly #began: KnownText;
  /** The latest commit that the service acknowledged, and those sent since. The service may have any of them. */
  #sent: SentCommit[] = [];
  /** The sequence number of the newest commit that the service acknowledged. */
  #savedUpTo = 0;
  /** Whether the service must have one of the commits. */
  #isAcknowledged = false;

  /** @param began the data of the unit before the first commit */
  constructor(began: Partial<Snapshot>) {
    this.#began = new KnownText(suspendDataOf(began));
    this.prepare();
  }

  /** The commit that was sent last; undefined before the first. */
  get newest(): Commit | undefined {
    return this.#sent.at(-1)?.commit;
  }

  /** Whether the service has acknowledged the newest commit. */
  get areSaved(): boolean {
    return (this.newest?.sequence ?? 0) <= this.#savedUpTo;
  }

  /** Notes that a commit is sent. Without a connection, commits would accumulate, so those in the middle are dropped. */
  add(commit: Commit): void {
    const data = suspendDataOf(commit);
    const known = [this.#began, ...this.#sent.map(({ text }) => text)].find(({ text }) => text === data);
    this.#sent.push({ commit, text: known ?? new KnownText(data) });
    if (this.#sent.length < MOST_SPLICES) return;
    this.#sent.splice(1, 1);
    this.#isAcknowledged = false;
  }

  /** Computes what a page that is being closed has no time for: Chromium gives it half a second. */
  prepare(): void {
    for (const text of this.#known()) void text.digest;
  }

  /** The service has this commit or a later one, and no earlier one. */
  acknowledge({ sequence }: Commit): void {
    this.#sent = this.#sent.filter((each) => each.commit.sequence >= sequence);
    this.#isAcknowledged = true;
    this.#savedUpTo = Math.max(this.#savedUpTo, sequence);
  }

  /** The body of a commit. @param most how many bytes are small enough, see {@link smallest} */
  bodyOf(commit: Commit, most: number): string {
    const sent = this.#sent.map((each) => each.commit);
    return smallest(commit, { texts: this.#known(), sent, isAcknowledged: this.#isAcknowledged, most });
  }

  /** The texts of which the service may have any, each once. */
  #known(): KnownText[] {
    const texts = this.#sent.map(({ text }) => text);
    return [...new Set(this.#isAcknowledged ? texts : [this.#began, ...texts])];
  }
}
