import { roomOf, sendInRoom } from './closing-room.ts';
import type { Commit } from './commit.ts';
import type { Snapshot } from './scorm-session.ts';
import { SentCommits } from './sent-commits.ts';
import {
  byteLength,
  CONFLICT,
  type End,
  endOfWrites,
  isRefusal,
  OK,
  type ServiceResponse,
  send,
  UNAVAILABLE,
} from './server.ts';
import { forgetUnsent, keepUnsent, type UnsentOwner, type UnsentPath } from './unsent.ts';

/** The state of saving, which the page shows. `unkept`: the connection is lost, and the browser cannot keep the data. */
export type SavingState = 'saved' | 'saving' | 'offline' | 'unkept' | 'refused' | EndState;

/** Why nothing more is saved. If the launch has expired, the browser keeps the data for the next launch. */
export type EndState = End | 'expired';

/** Courses save in bursts. Saves within this time are merged. */
const SOON_MS = 150;
const LATER_MS = 1_500;
/** How often changes are stored in the browser while the connection is lost, in case the browser itself ends. */
const KEEP_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** The time of a unit that reports nothing must leave room for the last requests of the course, which may follow. */
const MAX_TIME_BODY_BYTES = 10_000;
/** A shorter time that was not saved is not worth a request. */
const WORTH_SAVING_MS = 1_000;
/** The outcomes that leave nothing to save. A part may have been recorded, and a proxy may respond with a page. */
const NOTHING_LEFT = /"(recorded|stale|not-recorded)"/;

/**
 * Saves what a unit reports: merged, in order, one request at a time. While the page is being closed, it sends
 * immediately, with requests that outlive the page, even if the unit is already closed. Unsent data is stored in the browser, where the next page of the
 * registration finds it.
 */
export class Saver {
  readonly #owner: UnsentOwner;
  readonly #path: UnsentPath;
  readonly #unit: string;
  readonly #page: number;
  readonly #visit: number;
  readonly #counter: { next: number };
  readonly #read: () => Partial<Snapshot>;
  readonly #isRunning: () => boolean;
  readonly #onState: (state: SavingState) => void;
  readonly #sent: SentCommits;
  #isDirty = false;
  /** When the data was read last. */
  #readAt = Number.NEGATIVE_INFINITY;
  #isSending = false;
  #isLeaving = false;
  /** Whether the browser keeps the unsent data for a later launch. */
  #isKept = false;
  /** The requests that have no response yet. */
  readonly #inFlight = new Set<AbortController>();
  #ended: EndState | null = null;
  /** Whether the service has rejected the newest data that it responded to. */
  #isRefused = false;
  /** The sequence number of the commit that the service rejected last. */
  #refusedSequence = 0;
  /** Whether a save has failed or is overdue, and the service has acknowledged none since. The learner knows that. */
  #hasFailed = false;
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  #idle: (() => void)[] = [];

  constructor(options: {
    /** The registration and attempt that the writes belong to. */
    owner: UnsentOwner;
    /** Where the writes are sent, below the launch's token. */
    path: UnsentPath;
    unit: string;
    page: number;
    visit: number;
    /** The sequence number of the next write, shared by all writes of the page. */
    counter: { next: number };
    read: () => Partial<Snapshot>;
    /** Whether the unit is in a session, so that its time passes. */
    isRunning: () => boolean;
    onState: (state: SavingState) => void;
  }) {
    this.#owner = options.owner;
    this.#path = options.path;
    this.#unit = options.unit;
    this.#page = options.page;
    this.#visit = options.visit;
    this.#counter = options.counter;
    this.#read = options.read;
    this.#isRunning = options.isRunning;
    this.#sent = new SentCommits(options.read());
    this.#onState = options.onState;
    addEventListener('online', this.retry);
    addEventListener('pagehide', this.#pageHidden);
    addEventListener('pageshow', this.#back);
    document.addEventListener('visibilitychange', this.#visibilityChanged);
  }

  /** Saves a change soon; immediately if the unit terminates or the page is being closed. */
  changed(how: 'value' | 'commit' | 'terminate'): void {
    if (this.#ended !== null && this.#ended !== 'expired') return;
    this.#isDirty = true;
    if (this.#ended === 'expired') {
      // The course may report more while its frame is being removed.
      queueMicrotask(() => this.#keepLate());
      return;
    }
    if (this.#isLeaving) {
      // Values that a course sets in one turn belong together. The end of the turn is the last moment to send them.
      if (how === 'value') queueMicrotask(() => this.#isDirty && this.#sendLeaving());
      else this.#sendLeaving();
      return;
    }
    if (this.#isSending || this.#isRefused || this.#retryMs !== FIRST_RETRY_MS) this.#keepSoon();
    // The next data of the course may be rejected as well.
    if (this.#isRefused) this.#sendIn(LONGEST_RETRY_MS);
    else this.#sendIn(how === 'value' ? LATER_MS : how === 'commit' ? SOON_MS : 0);
  }

  /** Resolves once everything is saved or rejected, or once nothing more can be saved. */
  async settled(): Promise<void> {
    // A hidden page sends commits of its own, of which the newest may have no response yet.
    const isSaved = !this.#isDirty && !this.#isSending && (this.#sent.areSaved || this.#isRefused);
    if (this.#ended !== null || isSaved) return;
    this.#sendIn(0);
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Whether a save has failed, and the browser does not keep its data for a later launch. */
  get isUnkept(): boolean {
    return this.#hasFailed && !this.#isKept;
  }

  /** Whether the connection was lost, and this page has saved nothing of what the unit reported since then. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether the service has rejected the newest data of the unit. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Stops saving, because the unit is closed. */
  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#keepTimer);
    removeEventListener('online', this.retry);
    removeEventListener('pagehide', this.#pageHidden);
    removeEventListener('pageshow', this.#back);
    document.removeEventListener('visibilitychange', this.#visibilityChanged);
  }

  /** Called when the learner waits for a response that does not come. Shows the consequences of a lost connection. */
  overdue(): void {
    const { newest } = this.#sent;
    if (!this.#isSending || newest === undefined || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#keep(this.#isDirty ? this.#commit() : newest);
    this.#onState(this.#isKept ? 'offline' : 'unkept');
  }

  /** Tries again, because the connection may be back. A request that was sent before may never get a response. */
  readonly retry = () => {
    this.#retryMs = FIRST_RETRY_MS;
    for (const aborter of this.#inFlight) aborter.abort();
    if (this.#isDirty) this.#sendIn(0);
  };

  /** The page is being closed, so unsaved changes are sent with requests that outlive it. */
  readonly #pageHidden = () => {
    this.#isLeaving = true;
    this.#sendUnsaved();
  };

  /** A hidden page may not come back. */
  readonly #visibilityChanged = () => {
    if (document.visibilityState === 'hidden') this.#sendUnsaved();
    else this.#back();
  };

  /** The page came back from the browser's cache, or is visible again. */
  readonly #back = () => {
    this.#isLeaving = false;
    if (this.#isDirty) this.#sendIn(0);
  };

  #sendUnsaved(): void {
    if (this.#isDirty || this.#isSending) this.#sendLeaving();
    else if (this.#isRunning() && !this.#isRefused && performance.now() - this.#readAt >= WORTH_SAVING_MS)
      this.#sendTime();
  }

  /**
   * Sends how long a unit was open that reports nothing. The time alone is worth no second request, and no room in the
   * browser.
   */
  #sendTime(): void {
    // The service ignores older data that arrives later.
    if (this.#ended !== null || this.#inFlight.size > 0) return;
    const commit = this.#commit();
    const most = Math.min(MAX_TIME_BODY_BYTES, roomOf(window));
    const body = this.#sent.bodyOf(commit, most);
    if (byteLength(body) > most) return;
    void this.#requestInRoom(body).then((response) => {
      const end = endOfWrites(response);
      if (response.status === CONFLICT && end !== null) this.#end(end, commit);
    });
  }

  #sendIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isSending || at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.#send();
    }, ms);
  }

  #keepSoon(): void {
    this.#keepTimer ??= setTimeout(() => {
      this.#keepTimer = undefined;
      if (this.#isDirty && this.#ended === null) this.#keep(this.#commit());
    }, KEEP_MS);
  }

  /** The launch has expired, so only the next one can send this. */
  #keepUnsaved(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#keep(this.#commit());
  }

  /** The page may have said that the latest work is kept. */
  #keepLate(): void {
    const wasKept = this.#isKept;
    this.#keepUnsaved();
    if (wasKept && !this.#isKept) this.#onState('over');
  }

  #keep(commit: Commit): void {
    const isPromised = this.#hasFailed || this.#ended === 'expired';
    this.#isKept = keepUnsent(this.#owner, this.#path, commit, { replaces: this.#isUnsent, isPromised });
  }

  /** Whether the newest data is more than a copy that is removed as soon as the service responds. */
  get #isUnsent(): boolean {
    return this.#isLeaving || this.#ended === 'expired' || this.#hasFailed;
  }

  #commit(): Commit {
    this.#readAt = performance.now();
    return {
      ...this.#read(),
      unit: this.#unit,
      page: this.#page,
      visit: this.#visit,
      sequence: this.#counter.next++,
    };
  }

  async #send(): Promise<void> {
    if (this.#isSending || !this.#isDirty || this.#ended !== null) return;
    this.#isSending = true;
    this.#isDirty = false;
    const commit = this.#commit();
    this.#keep(commit);
    if (this.#retryMs === FIRST_RETRY_MS) this.#onState('saving');
    this.#sent.add(commit);
    const request = this.#request(JSON.stringify(commit));
    this.#sent.prepare();
    const response = await request;
    const { status } = response;
    const end = endOfWrites(response);
    this.#isSending = false;
    if (status === OK) {
      this.#acknowledge(commit);
      if (this.#isDirty) this.#sendIn(SOON_MS);
      else this.#nowSaved();
    } else if (end !== null) this.#end(end === 'over' ? 'expired' : end, commit);
    else if (isRefusal(status)) this.#refused(commit);
    else {
      // The next try reads the data again, so it includes this commit and later changes.
      this.#isDirty = true;
      const waitMs = this.#retryMs;
      this.#retryMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
      this.#hasFailed = true;
      this.#keep(commit);
      this.#onState(this.#isKept ? 'offline' : 'unkept');
      this.#sendIn(waitMs);
    }
  }

  #acknowledge(commit: Commit): void {
    // A request that was sent before the rejected one may be answered later.
    if (commit.sequence > this.#refusedSequence) this.#isRefused = false;
    this.#hasFailed = false;
    this.#retryMs = FIRST_RETRY_MS;
    forgetUnsent(this.#owner, commit);
    this.#sent.acknowledge(commit);
  }

  /** The service has rejected this commit. It may accept what the course reports next. */
  #refused(commit: Commit): void {
    this.#isRefused = true;
    this.#refusedSequence = commit.sequence;
    this.#hasFailed = false;
    this.#retryMs = FIRST_RETRY_MS;
    forgetUnsent(this.#owner, commit);
    this.#onState('refused');
    if (!this.#isDirty) this.#nowIdle();
    else this.#sendIn(this.#idle.length > 0 ? 0 : LONGEST_RETRY_MS);
  }

  #end(state: EndState, commit: Commit): void {
    this.#ended = state;
    if (state === 'expired') {
      this.#hasFailed = true;
      // It may be kept already, but as a copy that nobody has promised to save.
      if (this.#isDirty) this.#keepUnsaved();
      else this.#keep(this.#sent.newest ?? commit);
    } else forgetUnsent(this.#owner, commit);
    this.#onState(state === 'expired' && !this.#isKept ? 'over' : state);
    this.#nowIdle();
  }

  /** The server has acknowledged a commit. If it has the newest, nothing is left to save. */
  #nowSaved(): void {
    if (this.#isDirty || this.#isSending || !this.#sent.areSaved) return;
    this.#onState('saved');
    this.#nowIdle();
  }

  #nowIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** The response; its status is 0 without one. */
  async #request(body: string, keepalive = false): Promise<Pick<ServiceResponse, 'status' | 'text'>> {
    const aborter = new AbortController();
    this.#inFlight.add(aborter);
    try {
      const { status, text } = await send(this.#path, body, {
        keepalive,
        aborter,
        // If the connection is slower than expected, the next tries have more time.
        slowness: this.#retryMs / FIRST_RETRY_MS,
      });
      return { status: status === OK && !NOTHING_LEFT.test(text) ? UNAVAILABLE : status, text };
    } catch {
      return { status: 0, text: '' };
    } finally {
      this.#inFlight.delete(aborter);
    }
  }

  /** A request that outlives the page if it has room for it. */
  #requestInRoom(body: string): Promise<Pick<ServiceResponse, 'status' | 'text'>> {
    return sendInRoom(window, byteLength(body), (keepalive) => this.#request(body, keepalive));
  }

  /** Several of these may be in flight at once, in addition to an ordinary one. The server keeps the newest. */
  #sendLeaving(): void {
    if (this.#ended !== null) return;
    const commit = this.#commit();
    this.#isDirty = false;
    this.#keep(commit);
    const body = this.#sent.bodyOf(commit, roomOf(window));
    this.#sent.add(commit);
    void this.#requestInRoom(body).then(({ status }) => {
      if (status !== OK) {
        this.#isDirty = true;
        // The time of the next try may have passed while there was nothing to send.
        if (!this.#isLeaving) this.#sendIn(this.#retryMs);
        return;
      }
      this.#acknowledge(commit);
      this.#nowSaved();
    });
  }
}
