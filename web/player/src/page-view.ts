import { contentsOf } from './contents.ts';
import { element } from './elements.ts';
import { takeOver } from './former-page.ts';
import type { Unsaved } from './last-save.ts';
import { forgetLoss } from './lost-work.ts';
import type { OpenUnit } from './open-unit.ts';
import { type HeaderActions, PageHeader } from './page-header.ts';
import {
  actionCard,
  cardOf,
  type Doubt,
  endedWords,
  failedWords,
  fillResult,
  modeWords,
  recordCard,
  savedWords,
} from './record.ts';
import type { ReportingState } from './reporting.ts';
import type { EndState, SavingState } from './saver.ts';
import { LostScript } from './scripts.ts';
import type { EarlierPages } from './send-unsent.ts';
import type { Sequencer } from './sequencer.ts';
import { isRefusal, isUnitClosed, type PageResponse, Refusal, type Result } from './server.ts';
import { Stage } from './stage.ts';
import { TEXTS } from './texts.ts';
import { unsavedCard } from './unsaved-card.ts';

/** The state of the player that the page shows. */
export interface Playing {
  /** Null until the service has responded. */
  page: PageResponse | null;
  /** Null if no unit is open. */
  open: OpenUnit | null;
  /** Null if a table of contents is enough. */
  sequencer: Sequencer | null;
  /** Whether no unit can be opened any longer. */
  isEnded: boolean;
  /** Null if everything that the learner did is saved. */
  doubt: Doubt | null;
  /** False if the service has not responded since the learner left a unit that calls it itself. */
  isResultKnown: boolean;
}

/** The actions of the learner in the header and in the table of contents. */
export interface PageActions extends HeaderActions {
  /** @param id a unit or, with sequencing, a block */
  choose(id: string): void;
}

/** The card for each reason. The label of a button that loads the page again is the last member. */
const ENDS: Readonly<Record<EndState, [title: string, words: string, again?: string]>> = {
  superseded: [TEXTS.supersededTitle, TEXTS.superseded, TEXTS.takeOver],
  reset: [TEXTS.resetTitle, TEXTS.reset, TEXTS.startAgain],
  expired: [TEXTS.overTitle, TEXTS.overKept],
  over: [TEXTS.overTitle, TEXTS.over],
  outdated: [TEXTS.outdatedTitle, TEXTS.outdated],
  deleted: [TEXTS.deletedTitle, TEXTS.deleted],
};

/**
 * What the page says about work that it could not save, such as without a connection. Another window of the same
 * browser may have saved it: it sends what the browser keeps.
 */
const UNSAVED_WORK: Readonly<Partial<Record<EndState, string>>> = {
  superseded: TEXTS.perhapsLostOffline,
  reset: TEXTS.lostOffline,
  over: TEXTS.overUnkept,
};

/** Whether the page records nothing any longer in a state of saving. */
export function isEnd(state: SavingState): state is EndState {
  return Object.hasOwn(ENDS, state);
}

/** Shows the page of the learner: the header, the table of contents, notices, and a course or a card. */
export class PageView {
  /** The recorded result of the whole course. Cards include it. */
  readonly result = element('dl');
  readonly #playing: () => Playing;
  readonly #actions: PageActions;
  readonly #header: PageHeader;
  readonly #stage = new Stage();
  /** The card that shows what was recorded; null until the learner has left the course. */
  #record: HTMLElement | null = null;
  /** Whether the notice says that a unit waits for a response. */
  #isOverdue = false;

  /** @param playing returns the current state of the player */
  constructor(playing: () => Playing, actions: PageActions) {
    this.#playing = playing;
    this.#actions = actions;
    this.#header = new PageHeader(actions);
  }

  /** Puts the page into an element, before anything is known about the course. */
  begin(root: Element): void {
    root.replaceChildren(this.#header.element, this.#stage.notice, this.#stage.main);
    this.showLoading();
  }

  /** Shows the page of a course, before any unit is open. */
  showCourse({ course, result, units }: PageResponse): void {
    document.title = course.name;
    fillResult(this.result, result);
    this.#header.setLanguage(course.language);
    this.#stage.contents.showBeside(units.length > 1);
    this.showHeader();
  }

  /** Shows that the next unit or card is being loaded. */
  showLoading(): void {
    this.#stage.showLoading();
  }

  /** Shows the name of the course, and the buttons that the sequencing offers now. */
  showHeader(): void {
    const { page, sequencer } = this.#playing();
    this.#header.show(page?.course.name ?? '', {
      contents: (page?.units.length ?? 0) > 1 ? this.#stage.contents.button : null,
      sequencer,
    });
  }

  /** Shows what has been recorded since. The service may respond only after the learner has left the course. */
  showRecorded(result: Result): void {
    fillResult(this.result, result);
    this.showContents();
    const { page } = this.#playing();
    if (page !== null && this.#record?.isConnected === true) this.#renewRecord(page, this.#record);
  }

  /** Shows the table of contents of a course that has several units. */
  showContents(): void {
    const { page, open, sequencer } = this.#playing();
    const { units = [] } = page ?? {};
    if (units.length < 2) return;
    const current = open?.unit.id ?? null;
    const choose = (id: string) => this.#actions.choose(id);
    const language = page?.course.language ?? null;
    this.#stage.contents.fill(contentsOf({ units, language, current, sequencer, choose }));
  }

  /** While a unit closes, or the next one could not be opened, the learner cannot choose another one. */
  lock(isMoving: boolean): void {
    const isLocked = isMoving || this.#playing().sequencer?.isWaiting === true;
    this.#header.lock(isLocked);
    this.#stage.contents.nav.inert = isLocked;
  }

  /**
   * Shows the notice for a unit that opens. Nothing of it has been saved yet.
   * @param earlier the fate of unsent data of an earlier page
   */
  welcome(isReview: boolean, { wasRecovered, isLost }: EarlierPages): void {
    this.#header.setSaving('saved', false);
    const { mode = 'normal', registration = null } = this.#playing().page ?? {};
    const words = modeWords(mode, isReview);
    if (isLost) {
      this.#stage.sayForAWhile(TEXTS.lostEarlier, true);
      if (registration !== null) forgetLoss(registration);
    } else if (words === null && wasRecovered) this.#stage.sayForAWhile(TEXTS.recovered);
    else if (words === null) this.#stage.clear();
    else this.#stage.say(words);
  }

  /** Shows the course of a unit, or that the browser could not load it. */
  showFrame(open: OpenUnit): void {
    this.showHeader();
    const lost = () => {
      if (this.#playing().open === open) this.showFailed(null, () => this.showFrame(open));
    };
    this.#stage.showFrame(open.makeFrame(lost));
  }

  /** Shows the saving state, and a notice if the learner has to know more about it. @param isOnCard whether a card says it */
  showSaving(state: SavingState, isOnCard: boolean): void {
    const { isEnded, page } = this.#playing();
    if (isEnded) return;
    this.#header.setSaving(state, true);
    if (isOnCard) return;
    const others = (page?.units.length ?? 0) > 1 ? ` ${TEXTS.offlineUnits}` : '';
    if (state === 'offline') this.#stage.sayInstead(TEXTS.offline + others);
    else if (state === 'unkept') this.#stage.sayInstead(TEXTS.offlineUnkept + others);
    else if (state === 'saved') this.#stage.clear();
    else if (state === 'refused') this.#stage.say(savedWords('refused'), true);
  }

  /**
   * Shows whether the reports of a unit arrive that calls the service itself.
   * @param isBack whether the service could not be reached before
   */
  showReporting(state: ReportingState, isBack: boolean): void {
    if (state === 'offline') this.#stage.sayInstead(TEXTS.offlineUnsaved);
    else if (state === null) this.#stage.clear();
    else this.#stage.sayAgain(state === 'lost' && isBack ? TEXTS.backUnsaved : savedWords(state));
  }

  /** Shows whether the last requests of a unit that calls the service itself are being sent. */
  showSending(isSending: boolean): void {
    const { isEnded } = this.#playing();
    if (!isEnded) this.#header.setSaving('saving', isSending);
    if (this.#isOverdue && !isSending && !isEnded) this.clearNotice();
    this.#isOverdue = false;
  }

  /** Shows that a unit that calls the service itself waits for a response, while it is still open. */
  showOverdue(): void {
    this.#isOverdue = true;
    this.#stage.sayInstead(`${TEXTS.unsavedTitle}. ${TEXTS.unsavedUnsure}`);
  }

  /** Shows that the course has ended its session. */
  showSessionEnded(page: PageResponse, { start }: OpenUnit): void {
    const { doubt } = this.#playing();
    this.#stage.say(endedWords(page, { isReview: start.isReview, doubt }), doubt !== null);
  }

  /** Shows that the time of a unit has passed and the learner may continue. */
  showTimePassed(): void {
    this.#stage.sayForAWhile(TEXTS.timeOverGoOn);
  }

  /** Removes the notice. */
  clearNotice(): void {
    this.#stage.say(null);
  }

  /** Shows a card in place of the course. */
  showCard(card: HTMLElement): void {
    const { isEnded, sequencer } = this.#playing();
    this.#stage.showCard(card, !isEnded && sequencer?.isWaiting !== true);
  }

  /** Shows a card while no unit is open. @param canChoose whether the learner may open another one */
  showBetweenUnits(card: HTMLElement, canChoose = true): void {
    this.#stage.contents.showBeside(canChoose && (this.#playing().page?.units.length ?? 0) > 1);
    this.showHeader();
    this.showContents();
    this.showCard(card);
  }

  /** Shows that no unit was delivered, and what the learner can do. */
  showUndelivered(): void {
    if (this.#playing().sequencer?.isClosed) {
      this.showBetweenUnits(cardOf(TEXTS.closedTitle, TEXTS.closed, this.result));
    } else this.showBetweenUnits(cardOf(TEXTS.choose, TEXTS.chooseWords));
  }

  /** Shows that the learner has left a unit, and may open another one. */
  showUnitEnded(): void {
    this.showBetweenUnits(cardOf(TEXTS.unitEnded, savedWords(this.#playing().doubt, TEXTS.unitEndedWords)));
  }

  /** Shows that the time of a unit was up. @param canChoose whether the learner may open another one */
  showTimeOver(canChoose: boolean): void {
    const words = savedWords(this.#playing().doubt);
    this.showBetweenUnits(cardOf(TEXTS.timeOverTitle, words, this.result), canChoose);
  }

  /** Shows what was recorded, once the learner has left the course. */
  showRecord(page: PageResponse): void {
    this.#header.showNameAlone(page.course.name);
    this.#record = this.#recordOf(page);
    this.showCard(this.#record);
  }

  /** The focus stays where it is. On the heading, screen readers announce the new one. */
  #renewRecord(page: PageResponse, shown: HTMLElement): void {
    const controlsOf = (card: HTMLElement) => [...card.querySelectorAll<HTMLElement>('h2, button')];
    const focused = controlsOf(shown).indexOf(document.activeElement as HTMLElement);
    this.#record = this.#recordOf(page);
    shown.replaceWith(this.#record);
    controlsOf(this.#record)[focused]?.focus();
  }

  #recordOf(page: PageResponse): HTMLElement {
    const { doubt, isResultKnown, sequencer } = this.#playing();
    return recordCard(page, this.result, { doubt, isResultKnown, isClosed: sequencer?.isClosed === true });
  }

  /** Whether the page shows that something is being loaded, so that no course is in it. */
  get isLoading(): boolean {
    return this.#stage.isLoading;
  }

  /** Shows that the course is being closed. @param isOut false if only a unit is: then the next one or a card follows */
  showClosing(isOut = true): void {
    if (isOut) this.#showLeaving(cardOf(TEXTS.closing));
    else if (!this.#playing().isEnded) this.showLoading();
  }

  /**
   * Shows that what the learner did in a closed unit is not saved yet.
   * @param isOut whether the learner leaves the course, not only the unit
   * @param retry tries again at once; null if that has no use
   */
  showUnsaved(why: Unsaved, { isOut, retry }: { isOut: boolean; retry: (() => void) | null }): void {
    const { isEnded, page } = this.#playing();
    if (isOut) this.#showLeaving(unsavedCard(why, { returnUrl: page?.returnUrl ?? null }));
    else if (!isEnded) {
      this.clearNotice();
      this.showCard(unsavedCard(why, { retry }));
    }
  }

  #showLeaving(card: HTMLElement): void {
    const { page, isEnded } = this.#playing();
    // The card of the end stays.
    if (isEnded) return;
    this.clearNotice();
    this.#header.showNameAlone(page?.course.name ?? '');
    this.#stage.showCard(card, false);
  }

  /**
   * Shows why nothing is recorded any longer.
   * @param options.isUnsaved whether the page has work that it could not save
   * @param options.isUnsure whether it cannot say that everything is saved. Only the card of an expired launch mentions that
   */
  showEnd(why: EndState, { isUnsaved, isUnsure }: { isUnsaved: boolean; isUnsure: boolean }): void {
    // The page may have asked for its state because a report was refused.
    this.clearNotice();
    this.#header.showNameAlone(this.#playing().page?.course.name ?? '');
    const [title, reason, again] = ENDS[why];
    const unsureWork = isUnsure && why === 'over' ? TEXTS.overUnsure : undefined;
    const unsavedWork = isUnsaved ? UNSAVED_WORK[why] : unsureWork;
    const words = unsavedWork === undefined ? reason : `${reason} ${unsavedWork}`;
    this.showCard(again === undefined ? cardOf(title, words) : actionCard(title, words, again, takeOver));
  }

  /** Shows that unsent data of an earlier page cannot be sent. @param giveUp opens the course without it */
  showStuck(giveUp: () => unknown): void {
    const open = () => {
      this.showLoading();
      void giveUp();
    };
    const without = element('button', { onclick: open }, TEXTS.openWithout);
    const again = element('button', { class: 'main', onclick: reload }, TEXTS.tryAgain);
    const actions = element('div', { class: 'actions' }, again, without);
    this.showCard(cardOf(TEXTS.stuckTitle, TEXTS.stuck, actions));
  }

  /**
   * Shows that something could not be opened.
   * @param error null if nothing more is known
   * @param again tries once more; by default, it loads the page again
   */
  showFailed(error: unknown, again: () => unknown = reload): void {
    const { doubt } = this.#playing();
    if (isUnitClosed(error)) {
      const words = doubt === null ? TEXTS.unitClosed : savedWords(doubt, TEXTS.unitClosed);
      this.showBetweenUnits(cardOf(TEXTS.unitClosedTitle, words));
      return;
    }
    const retry = error instanceof LostScript ? reload : again;
    const words = failedWords(doubt, error instanceof Refusal && isRefusal(error.status));
    this.showCard(actionCard(TEXTS.failedTitle, words, TEXTS.tryAgain, retry));
  }
}

function reload(): void {
  location.reload();
}
