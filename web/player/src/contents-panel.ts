import { element } from './elements.ts';
import { TEXTS } from './texts.ts';

/** The same width as in the stylesheet. */
const NARROW = '(max-width: 45rem)';

/**
 * The table of contents, and the button that shows and hides it. On a wide page it is beside the course or card. On a
 * narrow one it covers that, so only the learner shows it there.
 */
export class ContentsPanel {
  readonly nav = element('nav', { 'aria-label': TEXTS.contents });
  readonly button = element('button', { onclick: () => this.#toggle() }, TEXTS.contents);
  readonly #narrow = matchMedia(NARROW);
  /** Whether it is shown while the page is wide. */
  #isBeside = false;

  constructor() {
    this.#show(false);
    this.#narrow.addEventListener('change', () => this.makeRoom());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && this.#covers) this.makeRoom();
    });
  }

  /** Shows or hides it on a wide page, until the learner decides otherwise. */
  showBeside(isShown: boolean): void {
    this.#isBeside = isShown;
    this.makeRoom();
  }

  /** Hides it where it would cover the course or card. */
  makeRoom(): void {
    const hadFocus = this.nav.contains(document.activeElement);
    this.#show(this.#isBeside && !this.#narrow.matches);
    if (hadFocus && this.nav.hidden) this.button.focus();
  }

  /** Shows these contents. Unchanged contents stay, and the keyboard focus stays at its entry. */
  fill(contents: readonly Node[]): void {
    const { nav } = this;
    const shown = nav.childNodes;
    if (shown.length === contents.length && contents.every((each, at) => each.isEqualNode(shown[at] ?? null)))
      return;
    const focused = nav.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-entry')
      : null;
    nav.replaceChildren(...contents);
    if (typeof focused === 'string')
      nav.querySelector<HTMLElement>(`[data-entry="${CSS.escape(focused)}"]`)?.focus();
  }

  get #covers(): boolean {
    return this.#narrow.matches && !this.nav.hidden;
  }

  #toggle(): void {
    const isShown = this.nav.hidden === true;
    if (!this.#narrow.matches) this.#isBeside = isShown;
    this.#show(isShown);
  }

  #show(isShown: boolean): void {
    this.nav.hidden = !isShown;
    this.button.setAttribute('aria-expanded', String(isShown));
    // The keyboard must not reach what the learner does not see.
    this.nav.nextElementSibling?.toggleAttribute('inert', this.#covers);
  }
}
