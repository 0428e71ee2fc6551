import type { UnitReport } from '../../../src/player/scorm/sequencing/unit-tracking.ts';
import type { CourseWindow } from './course-window.ts';
import { element } from './elements.ts';
import { watchLastRequests } from './last-requests.ts';
import { ownWindowCard } from './own-window-card.ts';
import { cardOf, fillResult, recordCard, unitWords } from './record.ts';
import { Saver, type SavingState, sendUnsent, type UnsentOutcome } from './saver.ts';
import type { OnChange, ScormSession } from './scorm-session.ts';
import type { Navigation, Scorm2004Start } from './scorm2004.ts';
import type { ContentsEntry, Sequencer } from './sequencer.ts';
import { type PageAnswer, post, Refusal, type Unit, type UnitStart } from './server.ts';
import { TEXTS } from './texts.ts';

/** A unit that is open. */
interface OpenUnit {
  unit: Unit;
  start: UnitStart;
  session: ScormSession | null;
  /** Answers what the unit has said; null for one without sequencing. */
  report: (() => UnitReport) | null;
  saver: Saver | null;
  frame: HTMLIFrameElement | null;
  /** Its own, where it insists on one. */
  window: CourseWindow | null;
}

/** The names under which courses look for the runtime. */
type RuntimeWindow = Window & { API?: unknown; API_1484_11?: unknown };

/** Units that talk to the server themselves meet prerequisites without the page hearing of it. */
const OPEN_UNITS_CHECK_MS = 5_000;
const RECOVERED_SHOWN_MS = 30_000;
const UNAVAILABLE = 503;
/** A course's last words may arrive after its window was closed. */
const LAST_WORDS_MS = 2_000;

/** The learner's page: opens units, gives them the runtime, saves what they say and shows the way. */
export class Player {
  readonly #root: Element;
  readonly #header = element('header');
  readonly #notice = element('div', { class: 'notice', role: 'status', hidden: true });
  readonly #saving = element('span', { class: 'saving', role: 'status' });
  readonly #nav = element('nav', { 'aria-label': TEXTS.contents, hidden: true });
  readonly #stage = element('main');
  /** What is recorded of the whole course. */
  readonly #result = element('dl');
  readonly #counter = { next: 1 };
  #page: PageAnswer | null = null;
  #open: OpenUnit | null = null;
  /** Leads through the units; null where a table of contents is enough. */
  #sequencer: Sequencer | null = null;
  #visits = 0;
  /** Whether the service has just got what an earlier page could not send, which the learner has not read yet. */
  #wasRecovered = false;
  /** Until when the learner may read that it was; a course saves within a moment, which clears other notices. */
  #recoveredUntil = 0;
  #isEnded = false;

  constructor(root: Element) {
    this.#root = root;
  }

  /** Opens the page, and the course's unit where there is one that is next. */
  async start(): Promise<void> {
    this.#root.replaceChildren(this.#header, this.#notice, this.#stage);
    this.#stage.replaceChildren(cardOf(TEXTS.loading));
    // Frames that the course has added since it was loaded are watched in time for their own last words.
    addEventListener('beforeunload', () => watchLastRequests(window));
    addEventListener('pagehide', () => {
      watchLastRequests(window, true);
      this.#open?.saver?.leaving(true);
    });
    addEventListener('message', (event) => this.#heard(event));
    addEventListener('pageshow', () => this.#open?.saver?.back());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.#open?.saver?.leaving(false);
      else this.#open?.saver?.back();
    });
    let unsent: UnsentOutcome;
    try {
      unsent = await sendUnsent();
      // Opening the course would take over from what is still unsent.
      if (unsent === 'unreachable') throw new Refusal(UNAVAILABLE);
      this.#page = await post<PageAnswer>('open');
    } catch (error) {
      this.#showFailure(error);
      return;
    }
    setInterval(() => this.#open?.session === null && this.#askForOpenUnits(), OPEN_UNITS_CHECK_MS);
    document.title = this.#page.course.name;
    this.#wasRecovered = unsent === 'recorded';
    fillResult(this.#result, this.#page.result);
    this.#nav.hidden = this.#page.units.length < 2;
    this.#showHeader();
    const { units, lastUnit, sequencing } = this.#page;
    if (sequencing !== null) {
      const { Sequencer } = await import('./sequencer.ts');
      this.#sequencer = new Sequencer(sequencing.tree, sequencing.state);
      await this.#openDelivered(this.#sequencer.begin());
      return;
    }
    const last = units.find(({ id }) => id === lastUnit);
    await this.#openDelivered((last?.isOpen ? last : units.find(({ isOpen }) => isOpen))?.id ?? null);
  }

  /** Opens the unit that the sequencing delivered; without one, the learner chooses. */
  async #openDelivered(id: string | null): Promise<void> {
    const unit = this.#page?.units.find((each) => each.id === id);
    if (unit !== undefined) {
      await this.#openUnit(unit);
      return;
    }
    this.#nav.hidden = false;
    this.#showHeader();
    this.#showContents();
    this.#showCard(cardOf(TEXTS.choose, TEXTS.chooseWords));
  }

  /** Leaves the unit that is open and follows a request of the learner's, or one that the unit made when it terminated. */
  async #follow(request: (sequencer: Sequencer) => string | null): Promise<void> {
    const sequencer = this.#sequencer;
    if (sequencer === null) return;
    let next: string | null = null;
    await this.#closeUnit(() => {
      next = request(sequencer);
    });
    if (this.#isEnded) return;
    if (next === null && sequencer.isOver) await this.#exit();
    else await this.#openDelivered(next);
  }

  /** @param given the window that the learner's click opened for the unit, still empty */
  async #openUnit(unit: Unit, given: CourseWindow | null = null): Promise<void> {
    await this.#closeUnit();
    if (this.#isEnded) return;
    this.#stage.replaceChildren(this.#nav, cardOf(TEXTS.loading));
    let start: UnitStart;
    try {
      const resuming = this.#sequencer === null ? {} : { isResumed: this.#sequencer.isResumed };
      start = await post<UnitStart>('unit', { unit: unit.id, ...resuming });
    } catch (error) {
      given?.close();
      this.#showFailure(error, () => this.#openUnit(unit));
      return;
    }
    this.#sequencer?.unitOpened();
    const open: OpenUnit = {
      unit,
      start,
      session: null,
      report: null,
      saver: null,
      frame: null,
      window: null,
    };
    this.#open = open;
    if (start.script !== null) await this.#giveRuntime(open);
    else void this.#noteAsset(open);
    this.#setSaving('saved', false);
    this.#say(this.#welcome(start));
    if (this.#sequencer !== null) this.#showHeader();
    this.#showContents();
    if (start.ownWindow) this.#showOwnWindow(open, given);
    else this.#showFrame(open);
  }

  /** The runtime is there before the course is: many look for it once, as soon as they load. */
  async #giveRuntime(open: OpenUnit): Promise<void> {
    const { start, unit } = open;
    const onChange: OnChange = (how) => {
      open.saver?.changed(how);
      if (how === 'terminate') this.#terminated(open);
    };
    const runtime = window as RuntimeWindow;
    if (start.script === 'scorm12') {
      const { scorm12Api } = await import('./scorm12.ts');
      const { session, api } = scorm12Api(start.data as { cmi: Record<string, unknown> }, onChange);
      open.session = session;
      runtime.API = api;
    } else {
      const { scorm2004Api } = await import('./scorm2004.ts');
      const { session, api, report } = scorm2004Api(
        start.data as Scorm2004Start,
        onChange,
        (navigation) => this.#navigate(open, navigation),
        this.#sequencer,
      );
      open.session = session;
      open.report = report;
      runtime.API_1484_11 = api;
    }
    const { session } = open;
    if (start.isReview || this.#page?.mode !== 'normal' || this.#page.registration === null) return;
    const { registration, attempt } = this.#page;
    open.saver = new Saver({
      owner: { registration, attempt },
      unit: unit.id,
      page: this.#page.page,
      visit: ++this.#visits,
      counter: this.#counter,
      read: () => ({ ...session.snapshot(), ...this.#sequencingState() }),
      onState: (state) => this.#savingChanged(state),
    });
  }

  /** What the learner hears when a unit opens. */
  #welcome({ isReview }: UnitStart): string | null {
    const wasRecovered = this.#wasRecovered;
    this.#wasRecovered = false;
    if (wasRecovered) this.#recoveredUntil = performance.now() + RECOVERED_SHOWN_MS;
    const mode = this.#page?.mode;
    if (mode === 'preview') return TEXTS.preview;
    if (mode === 'browse') return TEXTS.browse;
    if (mode === 'review') return TEXTS.reviewMode;
    if (isReview) return TEXTS.review;
    return wasRecovered ? TEXTS.recovered : null;
  }

  #sequencingState(): { state?: unknown } {
    return this.#sequencer === null ? {} : { state: this.#sequencer.state() };
  }

  async #noteAsset({ unit, start }: OpenUnit): Promise<void> {
    if (start.isReview || this.#page?.mode !== 'normal' || !this.#page.course.standard.startsWith('SCORM'))
      return;
    const { page } = this.#page;
    try {
      await post('asset', {
        unit: unit.id,
        page,
        visit: ++this.#visits,
        sequence: this.#counter.next++,
        ...this.#sequencingState(),
      });
      await this.#refresh();
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) this.#savingChanged('superseded');
      else this.#savingChanged('offline');
    }
  }

  #showFrame(open: OpenUnit): void {
    open.frame = element('iframe', {
      title: open.unit.title,
      name: 'course',
      allow: 'autoplay; fullscreen; clipboard-read; clipboard-write; unload',
      allowfullscreen: true,
      src: open.start.address,
      onload: ({ currentTarget }: Event) => {
        const { contentWindow } = currentTarget as HTMLIFrameElement;
        if (contentWindow !== null) watchLastRequests(contentWindow);
      },
    });
    this.#stage.classList.remove('padded');
    // On a phone the contents lie over the course.
    if (matchMedia('(max-width: 45rem)').matches) this.#nav.hidden = true;
    this.#showHeader();
    this.#stage.replaceChildren(this.#nav, open.frame);
    open.frame.focus();
  }

  #showOwnWindow(open: OpenUnit, given: CourseWindow | null): void {
    this.#showCard(
      ownWindowCard(open.start.address, {
        given,
        result: this.#result,
        events: {
          onShown: (opened) => {
            open.window = opened;
          },
          onClosed: () => {
            if (open !== this.#open) return;
            open.saver?.changed('commit');
            void this.#refresh();
            setTimeout(() => void this.#refresh(), LAST_WORDS_MS);
          },
          onOpenedAgain: (opened) => void this.#openUnit(open.unit, opened),
        },
      }),
    );
  }

  /** A cmi5 unit that the learner leaves goes to a page that says so. */
  #heard({ data, origin, source }: MessageEvent): void {
    const open = this.#open;
    if (origin !== location.origin || (data as { coursewire?: unknown } | null)?.coursewire !== 'unit-left') {
      return;
    }
    // The window closes itself, which is noticed.
    if (open === null || source !== open.frame?.contentWindow) return;
    void this.#unitLeft();
  }

  async #unitLeft(): Promise<void> {
    if ((this.#page?.units.length ?? 0) < 2) {
      await this.#exit();
      return;
    }
    await this.#closeUnit();
    if (this.#isEnded) return;
    this.#nav.hidden = false;
    this.#showHeader();
    this.#showContents();
    this.#showCard(cardOf(TEXTS.unitEnded, TEXTS.unitEndedWords));
  }

  /** The course said that it is done for now; its page stays, since some show a last word there. */
  #terminated(open: OpenUnit): void {
    void open.saver?.settled().then(() => this.#refresh());
    const sequencer = this.#sequencer;
    if (sequencer === null) return;
    setTimeout(() => {
      if (open !== this.#open) return;
      const delivered = sequencer.takeDelivered();
      if (delivered !== null) void this.#follow(() => delivered);
      else if (sequencer.isOver) void this.#exit();
      else this.#showHeader();
    });
  }

  /** Leads where the unit wants to go, once its call has returned. */
  #navigate(open: OpenUnit, navigation: Navigation): void {
    const units = this.#page?.units ?? [];
    const at = units.findIndex(({ id }) => id === open.unit.id);
    const go = (unit: Unit | undefined) => (unit === undefined ? this.#exit() : this.#openUnit(unit));
    setTimeout(() => {
      if (open !== this.#open) return;
      if (navigation.to === 'continue') void go(units[at + 1]);
      else if (navigation.to === 'previous') void go(units[Math.max(0, at - 1)]);
      else if (navigation.to === 'unit') void go(units.find(({ id }) => id === navigation.unit) ?? open.unit);
      else void this.#exit();
    });
  }

  /**
   * @param navigate runs once the unit has gone and before what it left is saved
   * @param suspends whether the learner leaves the course, which is no end of the unit
   */
  async #closeUnit(navigate: () => void = () => {}, suspends = false): Promise<void> {
    const open = this.#open;
    if (open === null) {
      navigate();
      return;
    }
    this.#open = null;
    this.#sequencer?.takeAway();
    // Leaving its page, the course says its last words, to the runtime that is still there.
    open.window?.close();
    if (open.frame !== null) {
      const gone = new Promise((resolve) => open.frame?.addEventListener('load', resolve, { once: true }));
      if (open.frame.contentWindow !== null) watchLastRequests(open.frame.contentWindow);
      open.frame.src = 'about:blank';
      await gone;
    }
    this.#leaveUnit(open, suspends);
    navigate();
    if (open.saver !== null && !this.#isEnded) {
      open.saver.changed('commit');
      await open.saver.settled();
    } else if (open.session === null && this.#sequencer !== null) await this.#noteAsset(open);
    open.saver?.dispose();
    const runtime = window as RuntimeWindow;
    delete runtime.API;
    delete runtime.API_1484_11;
    if (this.#page !== null) await this.#refresh();
  }

  /** A unit that is still running when it is left ends here, or is suspended with the course. */
  #leaveUnit({ unit, session, report }: OpenUnit, suspends: boolean): void {
    const sequencer = this.#sequencer;
    if (sequencer === null || session === null || report === null || !session.isRunning) return;
    if (suspends) sequencer.track(unit.id, report());
    else session.terminate();
  }

  async #exit(): Promise<void> {
    const sequencer = this.#sequencer;
    await this.#closeUnit(() => {
      if (sequencer !== null && !sequencer.isOver) sequencer.exit();
    }, true);
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#say(null);
    const returnUrl = this.#page?.returnUrl ?? null;
    if (returnUrl !== null) {
      location.replace(returnUrl);
      return;
    }
    this.#stage.replaceChildren(cardOf(TEXTS.loading));
    await this.#refresh();
    if (this.#page !== null) this.#showRecord(this.#page);
  }

  /** Says what was recorded, and how to continue. */
  #showRecord(page: PageAnswer): void {
    this.#header.replaceChildren(element('h1', {}, page.course.name));
    this.#showCard(recordCard(page, this.#result));
  }

  async #refresh(): Promise<void> {
    if (this.#page === null) return;
    try {
      const recorded = await post<Pick<PageAnswer, 'units' | 'result'>>('units');
      this.#page = { ...this.#page, ...recorded };
      fillResult(this.#result, this.#page.result);
      this.#showContents();
    } catch {
      // What is shown stays; the next change asks again.
    }
  }

  /** What was saved may have met the prerequisites of another unit. */
  #askForOpenUnits(): void {
    if (this.#page?.units.some(({ isOpen }) => !isOpen)) void this.#refresh();
  }

  #showHeader(): void {
    const several = (this.#page?.units.length ?? 0) > 1;
    const contents = element(
      'button',
      {
        'aria-expanded': String(!this.#nav.hidden),
        onclick: () => {
          this.#nav.hidden = !this.#nav.hidden;
          contents.setAttribute('aria-expanded', String(!this.#nav.hidden));
        },
      },
      TEXTS.contents,
    );
    this.#header.classList.toggle('stepped', this.#sequencer !== null);
    this.#header.replaceChildren(
      ...(several ? [contents] : []),
      element('h1', {}, this.#page?.course.name ?? ''),
      this.#saving,
      ...this.#steps(),
      element('button', { onclick: () => void this.#exit() }, TEXTS.exit),
    );
  }

  /** The ways on and back that the sequencing allows. */
  #steps(): Node[] {
    const sequencer = this.#sequencer;
    if (sequencer === null) return [];
    const step = (words: string, request: 'previous' | 'continue', isAllowed: boolean) =>
      element(
        'button',
        { disabled: !isAllowed, onclick: () => void this.#follow((each) => each.request(request)) },
        words,
      );
    return [
      ...(sequencer.hides('previous') ? [] : [step(TEXTS.previous, 'previous', sequencer.canGoBack)]),
      ...(sequencer.hides('continue') ? [] : [step(TEXTS.next, 'continue', sequencer.canContinue)]),
    ];
  }

  #showContents(): void {
    const { units = [] } = this.#page ?? {};
    if (units.length < 2) return;
    const list =
      this.#sequencer === null
        ? element(
            'ol',
            {},
            ...units.map((unit) =>
              this.#contentsItem(unit.id, unit.isOpen, unitWords(unit), () => void this.#openUnit(unit)),
            ),
          )
        : this.#contentsList(this.#sequencer.contents());
    this.#nav.replaceChildren(element('h2', {}, TEXTS.contents), list);
  }

  #contentsList(entries: readonly ContentsEntry[]): HTMLElement {
    return element(
      'ol',
      {},
      ...entries.map(({ id, title, canChoose, children }) => {
        const unit = this.#page?.units.find((each) => each.id === id);
        const words = unit === undefined ? [title] : unitWords(unit);
        const choose = () => void this.#follow((sequencer) => sequencer.choose(id));
        const below = children.length > 0 ? this.#contentsList(children) : null;
        return this.#contentsItem(id, canChoose, words, choose, below);
      }),
    );
  }

  #contentsItem(
    id: string,
    isOpen: boolean,
    words: (string | Node)[],
    choose: () => void,
    below: HTMLElement | null = null,
  ): HTMLElement {
    const isCurrent = this.#open?.unit.id === id;
    const attributes = { 'aria-current': isCurrent ? 'true' : null, disabled: !isOpen, onclick: choose };
    return element('li', {}, element('button', attributes, ...words), below);
  }

  #savingChanged(state: SavingState): void {
    this.#setSaving(state, true);
    if (state === 'offline') {
      this.#recoveredUntil = 0;
      this.#say(TEXTS.offline);
    } else if (state === 'saved' && performance.now() >= this.#recoveredUntil) this.#say(null);
    if (state === 'saved') this.#askForOpenUnits();
    if (state === 'superseded') this.#end(TEXTS.supersededTitle, TEXTS.superseded, true);
    if (state === 'over') this.#end(TEXTS.overTitle, TEXTS.over, false);
    if (state === 'refused') this.#say(`${TEXTS.refusedTitle}. ${TEXTS.refused}`);
  }

  #setSaving(state: SavingState, isKnown: boolean): void {
    const words = { saved: TEXTS.saved, saving: TEXTS.saving } as Partial<Record<SavingState, string>>;
    this.#saving.textContent = isKnown ? (words[state] ?? TEXTS.notSaved) : '';
    this.#saving.classList.toggle('bad', isKnown && words[state] === undefined);
  }

  /** Closes the course, because nothing is recorded any more. */
  #end(title: string, words: string, canTakeOver: boolean): void {
    this.#isEnded = true;
    this.#open?.window?.close();
    this.#open = null;
    const takeOver = element('button', { class: 'main', onclick: () => location.reload() }, TEXTS.takeOver);
    this.#header.replaceChildren(element('h1', {}, this.#page?.course.name ?? ''));
    this.#showCard(cardOf(title, words, canTakeOver ? element('div', { class: 'actions' }, takeOver) : null));
  }

  #showFailure(error: unknown, again: () => unknown = () => location.reload()): void {
    if (error instanceof Refusal && (error.status === 410 || error.status === 404)) {
      this.#end(TEXTS.overTitle, TEXTS.over, false);
      return;
    }
    const button = element('button', { class: 'main', onclick: () => void again() }, TEXTS.tryAgain);
    this.#showCard(cardOf(TEXTS.failedTitle, TEXTS.failed, element('div', { class: 'actions' }, button)));
  }

  #say(words: string | null): void {
    this.#notice.hidden = words === null;
    this.#notice.replaceChildren(element('p', {}, words ?? ''));
  }

  #showCard(card: HTMLElement): void {
    this.#stage.classList.add('padded');
    this.#stage.replaceChildren(...(this.#isEnded ? [] : [this.#nav]), card);
    card.querySelector('h2')?.focus();
  }
}
