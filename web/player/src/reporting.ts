import { untilOverdue } from './last-save.ts';
import type { Doubt } from './record.ts';
import type { Reports } from './reports.ts';

/** Whether the reports of the open unit arrive. `offline`: the service cannot be reached now. Null if nothing is missing. */
export type ReportingState = 'offline' | Doubt | null;

/** Courses cancel reports and send them again, and many libraries repeat those that fail. A notice appears only after that. */
const REPEATED_MS = 3_000;

/** The parts of the page that show it. */
interface ReportingView {
  /** @param isBack whether the service could not be reached before */
  showReporting(state: ReportingState, isBack: boolean): void;
  /** Removes the notice. */
  clearNotice(): void;
  /** Shows whether the page waits for responses. */
  showSending(isSending: boolean): void;
}

/** Watches whether the reports of units that call the service themselves arrive, and shows it if they do not. */
export class Reporting {
  readonly #reports: Reports;
  readonly #view: ReportingView;
  readonly #isReporting: () => boolean;
  #state: ReportingState = null;
  #isRecorded = false;
  /** The number of the latest lost or refused report that the page has announced. */
  #said = 0;

  /**
   * @param options.isReporting whether such a unit is open, and what it reports is recorded
   * @param options.poll asks the service whether it can be reached, and whether the page still records
   */
  constructor(
    reports: Reports,
    view: ReportingView,
    { isReporting, poll }: { isReporting: () => boolean; poll: () => Promise<void> },
  ) {
    this.#reports = reports;
    this.#view = view;
    this.#isReporting = isReporting;
    let isAsking = false;
    reports.onFailed = (why) => {
      if (why === 'refused') this.heard(true);
      if (isAsking) return;
      // The service also refuses the reports of a page that records nothing any longer. The response says why.
      isAsking = true;
      setTimeout(() => {
        isAsking = false;
        void poll();
      }, REPEATED_MS);
    };
  }

  /** The service has responded, or cannot be reached. */
  heard(hasResponded: boolean): void {
    if (!this.#isReporting()) return;
    const state = hasResponded ? this.#reports.doubt : 'offline';
    const { newest } = this.#reports;
    const isNew = state !== this.#state || (state !== 'offline' && newest > this.#said);
    if (isNew) this.#view.showReporting(state, this.#state === 'offline');
    // The notice may disappear after a while.
    else if (state !== 'offline') this.#view.showReporting(null, false);
    if (state !== 'offline') this.#said = newest;
    this.#state = state;
  }

  /** Waits until what the unit reports has a response, or has got none for too long. */
  async settled(): Promise<void> {
    const { isPending } = this.#reports;
    if (isPending) this.#view.showSending(true);
    await this.#reports.settled();
    if (isPending) this.#view.showSending(false);
  }

  /** A unit opens. @param isRecorded whether it calls the service itself, and what it reports is recorded */
  begin(isRecorded: boolean): void {
    this.#isRecorded = isRecorded;
    this.#reports.unitOpens();
  }

  /** Whether something may be lost that the unit has reported, which is open or being closed. */
  get isUnsure(): boolean {
    return this.#isRecorded && this.#reports.isUnsure;
  }

  /** Whether the service has responded to everything that the unit has reported. */
  get haveResponses(): boolean {
    return this.#reports.haveResponses;
  }

  /**
   * The learner has left the unit. Returns why it is not certain that everything it reported has arrived.
   * @param asked resolves to whether the service responds now
   * @param isReporting whether what the unit reports itself is recorded
   */
  async end(asked: Promise<boolean>, isReporting: boolean): Promise<Doubt | null> {
    // The work of other units is saved by now, or nothing of it is recorded.
    const isKnown = !isReporting || this.haveResponses;
    if (isKnown) await untilOverdue(asked);
    const isCertain = isKnown || (await asked);
    // What comes next says more.
    if (this.#state === 'offline') this.#view.clearNotice();
    this.#state = null;
    const doubt = this.#reports.take();
    return isCertain ? doubt : 'lost';
  }
}
