import type { CourseWindow } from './course-window.ts';
import { element } from './elements.ts';
import { watchLastRequests } from './last-requests.ts';
import type { Saver } from './saver.ts';
import type { Sequencer } from './sequencer.ts';
import type { Unit, UnitStart } from './server.ts';
import { removeRuntime, type UnitRuntime } from './unit-runtime.ts';

/** How a unit that is open is left: for another one, with the whole course, or because its time is over. */
export type Leaving = 'on' | 'out' | 'time-out';

/** Courses that terminate on each page have begun again by then. */
const ENDED_MS = 1_500;

/** A unit that is open. */
export class OpenUnit {
  readonly unit: Unit;
  readonly start: UnitStart;
  /** Null for a unit that talks to the server itself, or not at all. */
  runtime: UnitRuntime | null = null;
  /** Null where nothing is recorded, or the unit does that itself. */
  saver: Saver | null = null;
  /** Its own window, where it insists on one. */
  window: CourseWindow | null = null;
  /** Ends the watch over its time limit. */
  stopClock: () => void = () => {};
  #frame: HTMLIFrameElement | null = null;

  constructor(unit: Unit, start: UnitStart) {
    this.unit = unit;
    this.start = start;
  }

  /** The frame for its course, which is loaded once the frame is in the page. */
  makeFrame(): HTMLIFrameElement {
    this.#frame = element('iframe', {
      title: this.unit.title,
      name: 'course',
      allow: 'autoplay; fullscreen; clipboard-read; clipboard-write; unload',
      allowfullscreen: true,
      src: this.start.address,
      onload: ({ currentTarget }: Event) => {
        const { contentWindow } = currentTarget as HTMLIFrameElement;
        if (contentWindow !== null) watchLastRequests(contentWindow);
      },
    });
    return this.#frame;
  }

  /** Whether a message comes from its frame, which shows the page to which units return that are left. */
  saysItWasLeft({ data, origin, source }: MessageEvent): boolean {
    if (origin !== location.origin || source === null || source !== this.#frame?.contentWindow) return false;
    return (data as { coursewire?: unknown } | null)?.coursewire === 'unit-left';
  }

  /** Resolves, once everything is saved, to whether its course has ended its session and has not begun another one. */
  async hasEnded(): Promise<boolean> {
    await Promise.all([this.saver?.settled(), new Promise((resolve) => setTimeout(resolve, ENDED_MS))]);
    return this.runtime?.session.isRunning === false;
  }

  /** Closes the course. It may send its last data while its page unloads, so the runtime is still there. */
  async closeCourse(): Promise<void> {
    this.stopClock();
    this.window?.close();
    const frame = this.#frame;
    if (frame === null) return;
    const gone = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    if (frame.contentWindow !== null) watchLastRequests(frame.contentWindow);
    frame.src = 'about:blank';
    await gone;
  }

  /** If its course has gone and the unit still runs, it ends here, or is suspended with the whole course. */
  end(leaving: Leaving, sequencer: Sequencer | null): void {
    if (!this.runtime?.session.isRunning) return;
    const { session, report } = this.runtime;
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

  /** Ends it without its last words: nothing is recorded any more. */
  drop(): void {
    this.stopClock();
    this.window?.close();
  }
}
