import { element } from './elements.ts';
import { cardOf } from './record.ts';
import { TEXTS } from './texts.ts';

/** How long a notice stays that appears nowhere else. Other notices disappear at the next save, which comes within a moment. */
const NOTICE_MS = 30_000;

/** What is below the header: a notice, the table of contents, and a course or a card. */
export class Stage {
  readonly notice = element('div', { class: 'notice', role: 'status', hidden: true });
  readonly nav = element('nav', { 'aria-label': TEXTS.contents, hidden: true });
  readonly main = element('main');
  #noticeUntil = 0;

  /** Shows a notice; null for none. */
  say(words: string | null): void {
    this.notice.hidden = words === null;
    this.notice.replaceChildren(element('p', {}, words ?? ''));
  }

  /** Shows a notice that {@link clear} leaves for a while. */
  sayForAWhile(words: string): void {
    this.#noticeUntil = performance.now() + NOTICE_MS;
    this.say(words);
  }

  /** Removes a notice that has been there long enough. */
  clear(): void {
    if (performance.now() >= this.#noticeUntil) this.say(null);
  }

  /** Shows a notice until what it is about has changed, whatever was there. */
  sayInstead(words: string): void {
    this.#noticeUntil = 0;
    this.say(words);
  }

  showLoading(): void {
    this.main.replaceChildren(this.nav, cardOf(TEXTS.loading));
  }

  /** @param withContents false once nothing can be opened any more */
  showCard(card: HTMLElement, withContents: boolean): void {
    this.main.classList.add('padded');
    this.main.replaceChildren(...(withContents ? [this.nav] : []), card);
    card.querySelector('h2')?.focus();
  }

  showFrame(frame: HTMLIFrameElement): void {
    this.main.classList.remove('padded');
    this.main.replaceChildren(this.nav, frame);
    frame.focus();
  }
}
