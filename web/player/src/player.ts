import type { CourseWindow } from './course-window.ts';
import { playerCloses, reports, watchLastRequests } from './last-requests.ts';
import { LastSave, orOverdue, untilOverdue } from './last-save.ts';
import { Moves } from './moves.ts';
import { firstUnitOf, type Navigation, unitOf } from './navigation.ts';
import { type Leaving, OpenUnit } from './open-unit.ts';
import { ownWindowCard } from './own-window-card.ts';
import { isEnd, PageView } from './page-view.ts';
import type { Doubt } from './record.ts';
import { RecordedSince } from './recorded-since.ts';
import { Recording } from './recording.ts';
import { Reporting } from './reporting.ts';
import type { EndState, SavingState } from './saver.ts';
import { loadSequencer } from './scripts.ts';
import { type EarlierPages, NO_EARLIER_PAGES, openPage, RefusedPage, StuckUnsent } from './send-unsent.ts';
import type { Sequencer } from './sequencer.ts';
import {
  endOf,
  type PageResponse,
  post,
  type TimeLimit,
  type Unit,
  type UnitStart,
  type UnitsResponse,
} from './server.ts';
import { isUsedUp } from './time-limit.ts';
import { loadRuntime, type RuntimeHost } from './unit-runtime.ts';
import { askBeforeClosing } from './unkept-question.ts';

/** The learner's page. Opens units, provides their runtime, saves what they report and follows navigation. */
export class Player {
  readonly #view = new PageView(
    () => ({
      page: this.#page,
      open: this.#open,
      sequencer: this.#sequencer,
      isEnded: this.#isEnded,
      doubt: this.#doubt,
      isResultKnown: this.#recorded.isResultKnown,
    }),
    {
      step: (request) => this.#go(() => this.#follow((sequencer) => sequencer.request(request))),
      exit: () => {
        this.#lastSave.leave();
        void this.#moves.leave(() => this.#exit());
      },
      choose: (id) => this.#choose(id),
    },
  );
  readonly #lastSave = new LastSave(this.#view);
  readonly #moves = new Moves(() => this.#view.lock(this.#moves.isMoving));
  readonly #recorded = new RecordedSince(() => this.#page, {
    onResponse: (response) => this.#showRecorded(response),
    onEnd: (why) => void (this.#isEnded || this.#end(why)),
    onUnreachable: () => this.#reporting.heard(false),
  });
  readonly #reporting = new Reporting(reports, this.#view, {
    isReporting: () => this.#recording?.isReporting(this.#open) === true,
    poll: () => this.#recorded.poll(),
  });
  #page: PageResponse | null = null;
  #open: OpenUnit | null = null;
  /** Sequences the units; null if a table of contents is enough. */
  #sequencer: Sequencer | null = null;
  #recording: Recording | null = null;
  /** What the page knows of earlier pages until its first unit opens. */
  #earlier: EarlierPages = NO_EARLIER_PAGES;
  /** Whether the learner opens in the page what asks for its own window, because the browser allows none. */
  #isWithoutWindows = false;
  #isEnded = false;

  /** Opens the page in an element, and the next unit if there is one. */
  async start(root: Element): Promise<void> {
    this.#view.begin(root);
    // The course may have added frames since it was loaded. They may also send data while they unload.
    addEventListener('beforeunload', () => watchLastRequests(window));
    addEventListener('pagehide', playerCloses);
    askBeforeClosing(() => !this.#isEnded && this.#recording?.isUnkept === true);
    addEventListener('message', (event) => this.#heard(event));
    await this.#openPage();
  }

  async #openPage(givesUpUnsent = false): Promise<void> {
    let sequencer: Sequencer | null = null;
    try {
      const { page, ...earlier } = await openPage(givesUpUnsent);
      sequencer = await loadSequencer(page);
      this.#page = page;
      this.#earlier = earlier;
    } catch (error) {
      if (error instanceof StuckUnsent) this.#view.showStuck(() => this.#openPage(true));
      else this.#showFailure(error);
      return;
    }
    const page = this.#page;
    this.#recorded.watch(() => ({ open: this.#open, isEnded: this.#isEnded }));
    this.#recording = new Recording(page, {
      sharedState: () => (this.#sequencer === null ? {} : { state: this.#sequencer.state() }),
      onState: (state) => this.#savingChanged(state),
    });
    this.#view.showCourse(page);
    await this.#moves.make(async () => {
      if (sequencer !== null) {
        this.#sequencer = sequencer;
        return await this.#openDelivered(sequencer.begin());
      }
      await this.#openDelivered(firstUnitOf(page));
    });
  }

  /** Opens the unit that the sequencing delivered. Without one, the learner chooses. */
  async #openDelivered(id: string | null): Promise<void> {
    const unit = this.#page?.units.find((each) => each.id === id);
    if (unit !== undefined) await this.#openUnit(unit);
    else this.#view.showUndelivered();
  }

  /** Leaves the open unit and follows a request of the learner, or of the unit that terminated. */
  async #follow(request: (sequencer: Sequencer) => string | null): Promise<void> {
    const sequencer = this.#sequencer;
    if (sequencer === null) return;
    let next: string | null = null;
    const isClosed = await this.#closeUnit(() => {
      next = request(sequencer);
    });
    if (!isClosed || this.#isEnded) return;
    if (next === null && sequencer.isOver) await this.#exit();
    else await this.#openDelivered(next);
  }

  /** @param given the window that the learner's click opened for the unit; still empty */
  async #openUnit(unit: Unit, given: CourseWindow | null = null): Promise<void> {
    if (unit.ownWindow && given === null && !this.#isWithoutWindows) return await this.#offerWindow(unit);
    const started = await this.#startUnit(unit);
    if (started === null) return await given?.close();
    const { start, install } = started;
    this.#sequencer?.unitOpened(start.script === null);
    const open = new OpenUnit(unit, start, (limit) => this.#timeIsOver(open, limit));
    this.#open = open;
    open.runtime = install?.(start, this.#hostOf(open)) ?? null;
    open.saver = this.#recording?.saverOf(open) ?? null;
    this.#reporting.begin(this.#recording?.isReporting(open) === true);
    void open.saveOpening(this.#sequencer)?.then(() => this.#recorded.ask());
    this.#view.welcome(start.isReview, this.#earlier);
    this.#earlier = NO_EARLIER_PAGES;
    if (this.#sequencer !== null) this.#view.showHeader();
    this.#view.showContents();
    if (given === null) this.#view.showFrame(open);
    else this.#view.showCard(this.#windowCard(unit, open.showIn(given)));
  }

  /** Closes the open unit and starts another one. Returns null if it does not open; the page then shows why. */
  async #startUnit(unit: Unit) {
    const canOpen = () => !this.#isEnded && !this.#moves.isLeaving;
    if (!(await this.#closeUnit()) || !canOpen()) return null;
    this.#view.showLoading();
    try {
      const resuming = this.#sequencer === null ? {} : { isResumed: this.#sequencer.isResumed };
      const asked = post<UnitStart>('unit', { unit: unit.id, page: this.#page?.page, ...resuming });
      const loaded = asked.then(async (start) => ({ start, install: await loadRuntime(start.script) }));
      const started = await this.#moves.unlessLeaving(loaded);
      if (started === null || !canOpen()) return null;
      if (!isUsedUp(started.start.timeLimit)) return started;
    } catch (error) {
      this.#showFailure(error, () => this.#moves.make(() => this.#openUnit(unit)));
      return null;
    }
    this.#sequencer?.timeIsOver();
    await this.#showTimeOver(true);
    return null;
  }

  /** Saves what a unit reports to its runtime, and follows its navigation. */
  #hostOf(open: OpenUnit): RuntimeHost {
    return {
      onChange: (how) => {
        open.changed(how);
        if (how === 'terminate') this.#terminated(open);
      },
      onNavigation: (navigation) => this.#navigate(open, navigation),
      sequencer: this.#sequencer,
    };
  }

  /**
   * Offers the window that a unit requires. Until the learner opens it, a window from before a reload keeps recording.
   */
  async #offerWindow(unit: Unit): Promise<void> {
    if (!(await this.#closeUnit()) || this.#isEnded || this.#moves.isLeaving) return;
    this.#view.welcome(false, NO_EARLIER_PAGES);
    this.#view.showBetweenUnits(this.#windowCard(unit, null));
  }

  #windowCard(unit: Unit, courseWindow: CourseWindow | null): HTMLElement {
    return ownWindowCard({
      courseWindow,
      isContinued: this.#earlier.isContinued,
      result: this.#view.result,
      events: {
        onOpened: (opened) => {
          if (this.#moves.isMoving) void opened.close();
          else void this.#moves.make(() => this.#openUnit(unit, opened));
        },
        onOpenedHere: () => {
          this.#isWithoutWindows = true;
          void this.#moves.make(() => this.#openUnit(unit));
        },
        onClosed: () => this.#windowClosed(unit),
      },
    });
  }

  async #windowClosed(unit: Unit): Promise<Doubt | null> {
    const open = this.#open;
    if (open?.unit !== unit) return null;
    this.#recorded.askLater();
    await this.#noteLeft(open);
    return this.#doubt;
  }

  /** When the learner leaves a cmi5 unit, the unit opens a page that sends this message. */
  #heard(event: MessageEvent): void {
    // A unit in its own window closes that window itself, and the page detects that.
    if (this.#open?.reportsLeaving(event)) void this.#moves.make(() => this.#unitLeft());
  }

  async #unitLeft(): Promise<void> {
    if ((this.#page?.units.length ?? 0) < 2) return await this.#exit();
    if ((await this.#closeUnit()) && !this.#isEnded) this.#view.showUnitEnded();
  }

  /** The course ended its session. Its page stays, because some courses show a last message there. */
  #terminated(open: OpenUnit): void {
    void open.saver?.settled().then(() => this.#recorded.ask());
    void this.#sayEnded(open);
    const sequencer = this.#sequencer;
    if (sequencer === null) return;
    setTimeout(() => {
      if (open !== this.#open) return;
      const delivered = sequencer.takeDelivered();
      if (delivered !== null) void this.#moves.make(() => this.#follow(() => delivered));
      else if (sequencer.isOver) void this.#moves.leave(() => this.#exit());
      else this.#view.showHeader();
    });
  }

  /** Many courses show nothing after a click on their own exit button. */
  async #sayEnded(open: OpenUnit): Promise<void> {
    if (!(await open.hasEnded()) || open !== this.#open || this.#page === null) return;
    this.#view.showSessionEnded(this.#page, open);
  }

  /** Follows the navigation of the unit, once its call has returned. */
  #navigate(open: OpenUnit, navigation: Navigation): void {
    setTimeout(() => {
      if (open !== this.#open) return;
      const next = unitOf(navigation, this.#page?.units ?? [], open.unit);
      const exitOrOpen = () => (next === null ? this.#exit() : this.#openUnit(next));
      void this.#moves.make(() => (navigation.to === 'contents' ? this.#unitLeft() : exitOrOpen()));
    });
  }

  /**
   * Closes the open unit, unless its course asks the learner, who stays.
   * @param navigate runs after the unit has closed and before its last data is saved
   * @returns whether no unit is open any longer
   */
  async #closeUnit(navigate: () => void = () => {}, leaving: Leaving = 'on'): Promise<boolean> {
    const open = this.#open;
    if (open === null) {
      navigate();
      return true;
    }
    this.#open = null;
    this.#sequencer?.leaveUnit(leaving === 'out');
    const canStay = leaving !== 'time-out' && this.#sequencer?.isWaiting !== true;
    await orOverdue(this.#reporting.settled(), () => this.#view.showOverdue());
    if (!(await open.closeCourse(canStay)) && !this.#isEnded) {
      this.#open = open;
      this.#sequencer?.stayInUnit();
      this.#view.showContents();
      return false;
    }
    open.end(leaving, this.#sequencer);
    navigate();
    const { saver, runtime } = open;
    // An asset has nothing more to report, but the state of the sequencing has changed.
    if (!this.#isEnded && (runtime !== null || this.#sequencer !== null)) saver?.changed('commit');
    const isUnsure = () => this.#recording?.isReporting(open) === true && !this.#reporting.haveResponses;
    const isOut = leaving === 'out' || this.#moves.isLeaving;
    await this.#lastSave.wait({ saver, isUnsure, isOut }, async () => {
      if (!this.#isEnded) await saver?.settled();
      open.dispose();
      await this.#noteLeft(open);
    });
    return true;
  }

  /** Notes whether everything was saved that a unit reported itself, and asks what is recorded now. */
  async #noteLeft(open: OpenUnit): Promise<void> {
    await this.#reporting.settled();
    const isReporting = this.#recording?.isReporting(open) === true;
    const asked = isReporting ? this.#recorded.askLeft() : this.#recorded.ask();
    this.#recording?.left(open, await this.#reporting.end(asked, isReporting));
  }

  /** The time limit of the unit has passed. The unit ends, or the learner receives a message. */
  #timeIsOver(open: OpenUnit, { exits, hasMessage }: TimeLimit): void {
    if (open !== this.#open) return;
    const close = async () => {
      await this.#closeUnit(() => this.#sequencer?.timeIsOver(), 'time-out');
      if (!this.#isEnded) await this.#showTimeOver(hasMessage);
    };
    if (exits) void this.#moves.make(close);
    else this.#view.showTimePassed();
  }

  /** Shows what follows when the time of a unit is up. @param hasMessage whether to show why it was closed */
  async #showTimeOver(hasMessage: boolean): Promise<void> {
    const canChoose = this.#sequencer === null && (this.#page?.units.length ?? 0) > 1;
    if (hasMessage) this.#view.showTimeOver(canChoose);
    else if (canChoose) this.#view.showUnitEnded();
    else await this.#exit();
  }

  async #exit(): Promise<void> {
    const sequencer = this.#sequencer;
    const hadUnit = this.#open !== null;
    const isClosed = await this.#closeUnit(() => {
      if (sequencer !== null && !sequencer.isOver) sequencer.exit();
    }, 'out');
    if (!isClosed || this.#isEnded) return;
    this.#view.showClosing();
    // The page to return to cannot say that work may be lost, and may be unreachable, too.
    const canReturn = () => this.#doubt === null && this.#recorded.isResultKnown;
    // A unit that was just left has asked. Lost work leaves nothing to show.
    const asks = (!hadUnit || this.#recorded.hasFailed) && this.#doubt !== 'lost';
    if (asks && (this.#page?.returnUrl == null || !canReturn())) await untilOverdue(this.#recorded.ask());
    if (this.#isEnded || this.#page === null) return;
    const returnUrl = canReturn() ? this.#page.returnUrl : null;
    this.#isEnded = true;
    this.#view.showRecord(this.#page);
    if (this.#doubt !== 'lost') void this.#recorded.askIfFails();
    // This page may stay: the other one may be slow, or open in an app.
    if (returnUrl !== null) location.replace(returnUrl);
  }

  get #doubt(): Doubt | null {
    return this.#recording?.doubt ?? null;
  }

  #showRecorded({ isSuperseded, isReset, units, result }: UnitsResponse): void {
    if (this.#page === null) return;
    this.#page = { ...this.#page, units, result };
    this.#view.showRecorded(result);
    this.#reporting.heard(true);
    if (isSuperseded && !this.#isEnded) this.#end(isReset ? 'reset' : 'superseded');
  }

  /** @param id a unit or, with sequencing, a block */
  #choose(id: string): void {
    const sequencer = this.#sequencer;
    const unit = this.#page?.units.find((each) => each.id === id);
    if (sequencer !== null) this.#go(() => this.#follow(() => sequencer.choose(id)));
    else if (unit !== undefined) this.#go(() => this.#openUnit(unit));
  }

  /** Opens another unit that the learner has chosen. Without a connection, only the open one can be used, so it stays. */
  #go(move: () => Promise<void>): void {
    if (this.#open?.saver?.hasFailed) this.#open.saver.retry();
    else void this.#moves.make(move);
  }

  #savingChanged(state: SavingState): void {
    this.#view.showSaving(state, this.#lastSave.changed(state));
    // Saved results may have met the prerequisites of closed units.
    if (state === 'saved' && this.#recorded.hasClosedUnits) void this.#recorded.ask();
    if (isEnd(state)) this.#end(state);
  }

  /** Closes the course, because nothing is recorded any longer. @param isLost whether work of an earlier page is lost */
  #end(why: EndState, isLost = false): void {
    this.#isEnded = true;
    this.#open?.drop();
    this.#open = null;
    const { hasFailed = isLost, isUnkept } = this.#recording ?? {};
    const isUnsure = this.#reporting.isUnsure || this.#doubt !== null;
    this.#view.showEnd(why, { isUnsaved: (why === 'over' ? isUnkept : hasFailed) === true, isUnsure });
  }

  /** Asks once more which units are open, too. @param again tries once more; by default, the page is loaded again */
  #showFailure(error: unknown, again?: () => unknown): void {
    const end = endOf(error);
    if (end !== null) this.#end(end, error instanceof RefusedPage && error.isLost);
    else this.#view.showFailed(error, again);
    if (end === null) void this.#recorded.ask();
  }
}
