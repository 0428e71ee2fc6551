import { ContentsPanel } from './contents-panel.ts';
import { element } from './elements.ts';
import { cardOf } from './record.ts';
import { TEXTS } from './texts.ts';

/** How long a notice stays if nothing else shows its text. Other notices disappear at the next save, within moments. */
const NOTICE_MS = 30_000;

/** The area below the header: a notice, the table of contents, and a course or a card. */
export class Stage {
  /** Screen readers announce changes of what was in the page before, so these two are always in it. */
  readonly #status = element('div', { role: 'status' });
  readonly #alert = element('div', { role: 'alert' });
  readonly notice = element('div', { class: 'notice' }, this.#status, this.#alert);
  readonly contents = new ContentsPanel();
  readonly main = element('main');
  #isLoading = false;
  #noticeUntil = 0;

  /**
   * Shows a notice; null for none.
   * @param isUrgent whether screen readers interrupt what they are saying
   */
  say(words: string | null, isUrgent = false): void {
    setWords(this.#status, isUrgent ? null : words);
    setWords(this.#alert, isUrgent ? words : null);
  }

  /** Shows a notice that {@link clear} does not remove for a while. */
  sayForAWhile(words: string, isUrgent = false): void {
    this.#noticeUntil = performance.now() + NOTICE_MS;
    this.say(words, isUrgent);
  }

  /** Shows an urgent notice for a while, which screen readers announce even if it is shown already. */
  sayAgain(words: string): void {
    this.say(null);
    this.sayForAWhile(words, true);
  }

  /** Removes a notice that was visible long enough. */
  clear(): void {
    if (performance.now() >= this.#noticeUntil) this.say(null);
  }

  /** Replaces any notice by an urgent one that the next {@link clear} removes. */
  sayInstead(words: string): void {
    this.#noticeUntil = 0;
    this.say(words, true);
  }

  /** Whether it shows that something is being loaded. */
  get isLoading(): boolean {
    return this.#isLoading;
  }

  showLoading(): void {
    this.#show(cardOf(TEXTS.loading), true);
    this.#isLoading = true;
  }

  /** @param withContents false if no unit can be opened any longer */
  showCard(card: HTMLElement, withContents: boolean): void {
    this.main.classList.add('padded');
    this.#show(card, withContents);
    card.querySelector('h2')?.focus();
  }

  showFrame(frame: HTMLIFrameElement): void {
    this.main.classList.remove('padded');
    this.#show(frame, true);
    frame.focus();
  }

  #show(courseOrCard: HTMLElement, withContents: boolean): void {
    this.#isLoading = false;
    this.main.replaceChildren(...(withContents ? [this.contents.nav] : []), courseOrCard);
    this.contents.makeRoom();
  }
}

/** Changes nothing if an element has these words already: screen readers would announce them again. */
function setWords(region: HTMLElement, words: string | null): void {
  if (region.textContent === (words ?? '')) return;
  region.replaceChildren(...(words === null ? [] : [element('p', {}, words)]));
}
