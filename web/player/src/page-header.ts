import { element } from './elements.ts';
import type { SavingState } from './saver.ts';
import type { Sequencer } from './sequencer.ts';
import { TEXTS } from './texts.ts';

/** The actions of the learner in the header. */
export interface HeaderActions {
  step(request: 'previous' | 'continue'): void;
  exit(): void;
}

/** The header of the page: the name of the course, the buttons for navigation and exit, and the saving state. */
export class PageHeader {
  readonly element = element('header');
  readonly #name = element('h1', { dir: 'auto' });
  readonly #saving = element('span', { class: 'saving', role: 'status', 'aria-live': 'off' });
  readonly #tools = element('div', { class: 'tools' });
  readonly #actions: HeaderActions;
  #steps: { button: HTMLButtonElement; isAllowed: boolean }[] = [];
  #isLocked = false;
  /** Whether the last save failed. */
  #isUnsaved = false;

  constructor(actions: HeaderActions) {
    this.#actions = actions;
  }

  /** Notes the language of the course's name; null if it is not known. */
  setLanguage(language: string | null | undefined): void {
    // An instance of an earlier release sends none.
    if (language != null) this.#name.lang = language;
  }

  /**
   * Shows the header of an open course.
   * @param contents the button for the table of contents; null without one
   * @param sequencer sequences the units; null if a table of contents is enough
   */
  show(
    name: string,
    { contents, sequencer }: { contents: HTMLElement | null; sequencer: Sequencer | null },
  ): void {
    this.#name.textContent = name;
    this.#steps = sequencer === null ? [] : this.#stepsOf(sequencer);
    this.lock(this.#isLocked);
    this.element.replaceChildren(this.#name, this.#tools);
    this.#tools.replaceChildren(
      ...(contents === null ? [] : [contents]),
      this.#saving,
      ...this.#steps.map(({ button }) => button),
      element('button', { onclick: () => this.#actions.exit() }, TEXTS.exit),
    );
  }

  /** Shows the name alone, once the course is closed. */
  showNameAlone(name: string): void {
    this.#name.textContent = name;
    this.element.replaceChildren(this.#name);
  }

  /** Disables the buttons for the next and the previous unit, or enables those that the sequencing allows. */
  lock(isLocked: boolean): void {
    this.#isLocked = isLocked;
    for (const { button, isAllowed } of this.#steps) button.disabled = isLocked || !isAllowed;
  }

  /** Shows the saving state. @param isKnown false before the first save: then nothing is shown */
  setSaving(state: SavingState, isKnown: boolean): void {
    const words = { saved: TEXTS.saved, saving: TEXTS.saving } as Partial<Record<SavingState, string>>;
    const isBad = isKnown && words[state] === undefined;
    // Courses save all the time. Screen readers announce only that work is saved after all: a notice says that it is not.
    this.#saving.setAttribute('aria-live', this.#isUnsaved && state === 'saved' ? 'polite' : 'off');
    this.#isUnsaved = isBad || (this.#isUnsaved && state !== 'saved');
    this.#saving.textContent = isKnown ? (words[state] ?? TEXTS.notSaved) : '';
    this.#saving.classList.toggle('bad', isBad);
  }

  /** The buttons for the next and the previous unit that the sequencing does not hide, and whether it allows them. */
  #stepsOf(sequencer: Sequencer) {
    const step = (words: string, request: 'previous' | 'continue', isAllowed: boolean) => ({
      button: element('button', { onclick: () => this.#actions.step(request) }, words),
      isAllowed,
    });
    return [
      ...(sequencer.hides('previous') ? [] : [step(TEXTS.previous, 'previous', sequencer.canGoBack)]),
      ...(sequencer.hides('continue') ? [] : [step(TEXTS.next, 'continue', sequencer.canContinue)]),
    ];
  }
}
