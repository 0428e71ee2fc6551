import { ContentsPanel } from './contents-panel.ts';
import { element } from './elements.ts';
import { cardOf } from './record.ts';
import { TEXTS } from './texts.ts';

/** How long a notice stays if nothing else shows its text. Other notices disappear at the next save, within moments. */
const NOTICE_MS = 30_000;

/** The area below the header: a notice, the table of contents, and a course or a card. */
export class Stage {
  readonly notice = element('div', { class: 'notice', role: 'status', hidden: true });
  readonly contents = new ContentsPanel();
  readonly main = element('main');
  #noticeUntil = 0;

  /** Shows a notice; null for none. */
  say(words: string | null): void {
    this.notice.hidden = words === null;
    this.notice.replaceChildren(element('p', {}, words ?? ''));
  }

  /** Shows a notice that {@link clear} does not remove for a while. */
  sayForAWhile(words: string): void {
    this.#noticeUntil = performance.now() + NOTICE_MS;
    this.say(words);
  }

  /** Removes a notice that was visible long enough. */
  clear(): void {
    if (performance.now() >= this.#noticeUntil) this.say(null);
  }

  /** Replaces any notice by one that the next {@link clear} removes. */
  sayInstead(words: string): void {
    this.#noticeUntil = 0;
    this.say(words);
  }

  showLoading(): void {
    this.#show(cardOf(TEXTS.loading), true);
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
    this.main.replaceChildren(...(withContents ? [this.contents.nav] : []), courseOrCard);
    this.contents.makeRoom();
  }
}
