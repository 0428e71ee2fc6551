import { element } from './elements.ts';
import type { SavingState } from './saver.ts';
import type { Sequencer } from './sequencer.ts';
import { TEXTS } from './texts.ts';

/** What the learner does in the header. */
export interface HeaderActions {
  step(request: 'previous' | 'continue'): void;
  exit(): void;
}

/** The top of the page: the name of the course, the ways through it and out of it, and whether everything is saved. */
export class PageHeader {
  readonly element = element('header');
  readonly #saving = element('span', { class: 'saving', role: 'status' });
  readonly #actions: HeaderActions;

  constructor(actions: HeaderActions) {
    this.#actions = actions;
  }

  /**
   * Shows it for a course that is open.
   * @param nav the table of contents, which a button shows and hides
   * @param sequencer leads through the units; null where a table of contents is enough
   */
  show(
    name: string,
    { nav, hasContents, sequencer }: { nav: HTMLElement; hasContents: boolean; sequencer: Sequencer | null },
  ): void {
    this.element.classList.toggle('stepped', sequencer !== null);
    this.element.replaceChildren(
      ...(hasContents ? [contentsButton(nav)] : []),
      element('h1', {}, name),
      this.#saving,
      ...this.#steps(sequencer),
      element('button', { onclick: () => this.#actions.exit() }, TEXTS.exit),
    );
  }

  /** Shows the name alone: nothing leads on from here. */
  showNameAlone(name: string): void {
    this.element.replaceChildren(element('h1', {}, name));
  }

  /** Shows whether everything is saved. @param isKnown false while nothing was saved yet: then nothing is shown */
  setSaving(state: SavingState, isKnown: boolean): void {
    const words = { saved: TEXTS.saved, saving: TEXTS.saving } as Partial<Record<SavingState, string>>;
    this.#saving.textContent = isKnown ? (words[state] ?? TEXTS.notSaved) : '';
    this.#saving.classList.toggle('bad', isKnown && words[state] === undefined);
  }

  /** The ways on and back that the sequencing allows. */
  #steps(sequencer: Sequencer | null): Node[] {
    if (sequencer === null) return [];
    const step = (words: string, request: 'previous' | 'continue', isAllowed: boolean) =>
      element('button', { disabled: !isAllowed, onclick: () => this.#actions.step(request) }, words);
    return [
      ...(sequencer.hides('previous') ? [] : [step(TEXTS.previous, 'previous', sequencer.canGoBack)]),
      ...(sequencer.hides('continue') ? [] : [step(TEXTS.next, 'continue', sequencer.canContinue)]),
    ];
  }
}

function contentsButton(nav: HTMLElement): HTMLElement {
  const button = element(
    'button',
    {
      'aria-expanded': String(!nav.hidden),
      onclick: () => {
        nav.hidden = !nav.hidden;
        button.setAttribute('aria-expanded', String(!nav.hidden));
      },
    },
    TEXTS.contents,
  );
  return button;
}
