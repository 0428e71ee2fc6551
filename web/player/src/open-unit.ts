import type { CourseWindow } from './course-window.ts';
import { element } from './elements.ts';
import { watchFirstPage, watchLastRequests } from './last-requests.ts';
import type { Saver } from './saver.ts';
import type { OnChange } from './scorm-session.ts';
import type { Sequencer } from './sequencer.ts';
import type { TimeLimit, Unit, UnitStart } from './server.ts';
import { whenTimeIsOver } from './time-limit.ts';
import { removeRuntime, type UnitRuntime } from './unit-runtime.ts';
import { EMPTY_PAGE, isEmpty, isReadable } from './watched-page.ts';

/** Why an open unit is left: for another unit, with the whole course, or because its time is up. */
export type Leaving = 'on' | 'out' | 'time-out';

/** How often the page looks for pages and frames that the course has loaded since. */
const WATCH_MS = 500;
/** A page that did not unload in this time stays, because the learner wants to stay. */
const UNLOAD_TICKS = 8;
const UNLOAD_TICK_MS = 250;
/** By then, courses that terminate on each page have initialized again. */
const ENDED_MS = 1_500;

/** An open unit. */
export class OpenUnit {
  readonly unit: Unit;
  readonly start: UnitStart;
  /** Null for a unit that calls the server itself, or reports nothing. */
  runtime: UnitRuntime | null = null;
  /** Null if nothing is recorded, or if the unit calls the server itself. */
  saver: Saver | null = null;
  /** Its own window, if it requires one. */
  window: CourseWindow | null = null;
  readonly #onTimeOver: (limit: TimeLimit) => void;
  /** What is left when the clock starts. Null without a limit, or once the learner has received the message. */
  #timeLimit: TimeLimit | null;
  #clockStartedAt = 0;
  /** Stops watching the time limit; null while nothing watches it. */
  #stopClock: (() => void) | null = null;
  #frame: HTMLIFrameElement | null = null;

  /** @param onTimeOver called when the time of the unit is up */
  constructor(unit: Unit, start: UnitStart, onTimeOver: (limit: TimeLimit) => void) {
    this.unit = unit;
    this.start = start;
    this.#onTimeOver = onTimeOver;
    this.#timeLimit = start.timeLimit;
  }

  /**
   * Saves that the learner has opened an asset, which reports nothing itself. Returns when that is saved; null for any
   * other unit. If sequencing has begun another attempt on a unit, saves that, too. Otherwise, an attempt that reports
   * nothing would be resumed with the data of the one before.
   */
  saveOpening(sequencer: Sequencer | null): Promise<void> | null {
    const { saver } = this;
    if (saver === null) return null;
    if (this.runtime === null) {
      saver.changed('terminate');
      return saver.settled();
    }
    if (sequencer?.isResumed === false && this.unit.completion !== 'Unknown') saver.changed('commit');
    return null;
  }

  /** Saves what its course reports. The time limit counts the time of its sessions. */
  changed(how: Parameters<OnChange>[0]): void {
    if (how === 'initialize') this.startClock();
    else this.saver?.changed(how);
    if (how === 'terminate') this.#endClock();
  }

  /** Watches its time limit. Does nothing if that is watched already. */
  startClock(): void {
    const limit = this.#timeLimit;
    if (limit === null || this.#stopClock !== null) return;
    this.#clockStartedAt = performance.now();
    this.#stopClock = whenTimeIsOver(limit, () => {
      // The message appears once, however many sessions the course begins after that.
      if (!limit.exits) this.#timeLimit = null;
      this.#onTimeOver(limit);
    });
  }

  #endClock(): void {
    if (this.#stopClock === null) return;
    this.#stopClock();
    this.#stopClock = null;
    if (this.#timeLimit === null) return;
    const leftMs = this.#timeLimit.leftMs - (performance.now() - this.#clockStartedAt);
    // A later session that has no time left still has the time to end on its own.
    this.#timeLimit = { ...this.#timeLimit, leftMs: Math.max(0, leftMs) };
  }

  /** Its page could not be loaded. So the learner has used no time, and the clock starts with the next try. */
  #resetClock(): void {
    this.#endClock();
    this.#timeLimit = this.start.timeLimit;
  }

  /** Shows its course in its own window. */
  showIn(courseWindow: CourseWindow): CourseWindow {
    this.startClock();
    this.window = courseWindow;
    courseWindow.show(this.start.address);
    return courseWindow;
  }

  /**
   * The frame of its course, which loads once the frame is in the page.
   * @param onLost called if the browser cannot load the course, and shows a page of its own instead
   */
  makeFrame(onLost: () => void): HTMLIFrameElement {
    this.startClock();
    // The browser keeps the timings of a limited number of requests, and that of the course must be among them.
    performance.clearResourceTimings();
    let hasBegun = false;
    const frame: HTMLIFrameElement = element('iframe', {
      title: this.unit.title,
      name: 'course',
      allow: 'autoplay; fullscreen; clipboard-read; clipboard-write; unload',
      allowfullscreen: true,
      src: this.start.address,
      onload: () => {
        if (hasBegun || !isLost(frame)) return void watchFrame(frame);
        this.#resetClock();
        onLost();
      },
    });
    this.#frame = frame;
    queueMicrotask(() => {
      // A page that goes to another site before all of it is there has no status, either.
      if (frame.contentWindow !== null) watchFirstPage(frame.contentWindow, () => (hasBegun = true));
    });
    const timer = setInterval(() => {
      if (!watchFrame(frame)) clearInterval(timer);
    }, WATCH_MS);
    return frame;
  }

  /** Whether a message comes from its frame and reports that the learner has left. The unit's return page sends it. */
  reportsLeaving({ data, origin, source }: MessageEvent): boolean {
    if (origin !== location.origin || source === null || source !== this.#frame?.contentWindow) return false;
    return (data as { coursewire?: unknown } | null)?.coursewire === 'unit-left';
  }

  /** Waits until everything is saved. Resolves to whether the course has ended its session and begun no other. */
  async hasEnded(): Promise<boolean> {
    await Promise.all([this.saver?.settled(), new Promise((resolve) => setTimeout(resolve, ENDED_MS))]);
    return this.runtime?.session.isRunning === false;
  }

  /**
   * Closes the course. It may send its last data while its page unloads, so the runtime stays until then. A course may
   * also ask the learner whether to leave it.
   * @param canStay whether the learner may stay; otherwise, the course is closed nevertheless
   * @returns whether the course is closed
   */
  async closeCourse(canStay: boolean): Promise<boolean> {
    const isLimited = this.#stopClock !== null;
    const wasRunning = this.runtime?.session.isRunning === true;
    this.#endClock();
    await this.window?.close();
    const frame = this.#frame;
    // A card has replaced the frame of a course that could not be loaded.
    if (!frame?.isConnected || (await isUnloaded(frame))) return true;
    if (canStay) {
      // While its page asked the learner, it may have ended its session.
      const hasEnded = wasRunning && this.runtime?.session.isRunning === false;
      if (isLimited && !hasEnded) this.startClock();
      return false;
    }
    // Its page is unloaded without a question.
    frame.remove();
    return true;
  }

  /**
   * If the unit still runs after its course was closed, ends it, or suspends it with the whole course. A unit that never
   * began a session has nothing to end, unless its time is up.
   */
  end(leaving: Leaving, sequencer: Sequencer | null): void {
    if (this.runtime === null) return;
    const { session, report } = this.runtime;
    if (!session.hasBegun && leaving !== 'time-out') sequencer?.unitNeverBegan();
    if (!session.isRunning) return;
    if (leaving === 'time-out') this.runtime.timeOut();
    else if (sequencer !== null && report !== null) {
      if (leaving === 'out') sequencer.track(this.unit.id, report());
      else session.terminate();
    }
  }

  /** Removes the runtime, once everything is saved. */
  dispose(): void {
    this.saver?.dispose();
    removeRuntime();
  }

  /** Closes the unit without saving its last data, because nothing is recorded any longer. */
  drop(): void {
    this.#endClock();
    void this.window?.close();
  }
}

/** Watches the requests of a frame. Returns false if it is not in the page. */
function watchFrame({ contentWindow }: HTMLIFrameElement): boolean {
  if (contentWindow !== null) watchLastRequests(contentWindow);
  return contentWindow !== null;
}

/**
 * Whether a frame shows a page of the browser instead of a course that could not be loaded. A page of another site cannot
 * be read, either, but the course that leads there got a response.
 */
function isLost({ src, contentWindow }: HTMLIFrameElement): boolean {
  if (contentWindow === null || isReadable(contentWindow) || new URL(src).origin !== location.origin)
    return false;
  const [request] = performance.getEntriesByName(src) as PerformanceResourceTiming[];
  return request?.responseStatus === 0;
}

/** Unloads the page of a frame. Resolves to false if the page is still there after a while. */
function isUnloaded(frame: HTMLIFrameElement): Promise<boolean> {
  // The listeners of a course for `pagehide` run before those of the player.
  if (frame.contentWindow !== null) watchLastRequests(frame.contentWindow, true);
  return new Promise((resolve) => {
    let ticks = 0;
    const end = (isGone: boolean) => {
      clearInterval(timer);
      frame.removeEventListener('load', loaded);
      resolve(isGone);
    };
    // While the browser asks the learner, timers do not run. So this counts the time after the answer.
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks < UNLOAD_TICKS) return;
      if (frame.contentWindow !== null) watchLastRequests(frame.contentWindow, false);
      end(false);
    }, UNLOAD_TICK_MS);
    // If the page stays, its own `load` may still follow.
    const loaded = () => {
      if (frame.contentWindow !== null && isEmpty(frame.contentWindow)) end(true);
    };
    frame.addEventListener('load', loaded);
    // A new address would be another step for the browser's button Back, which would then lead nowhere.
    frame.contentWindow?.location.replace(EMPTY_PAGE);
  });
}
