import { element } from './elements.ts';
import type { PageResponse, Result, Unit } from './server.ts';
import { TEXTS } from './texts.ts';

/** A card: a heading that can be focused, a text and further elements. */
export function cardOf(
  title: string,
  words: string | null = null,
  ...children: (Node | null)[]
): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element('h2', { tabindex: -1 }, title),
    words === null ? null : element('p', {}, words),
    ...children,
  );
}

/** A card with one button. */
export function actionCard(title: string, words: string, label: string, action: () => unknown): HTMLElement {
  const button = element('button', { class: 'main', onclick: () => void action() }, label);
  return cardOf(title, words, element('div', { class: 'actions' }, button));
}

/**
 * Why the page cannot say that everything is saved. `refused`: the service has rejected something. `lost`: the service may
 * not have received something that a unit sent to it directly.
 */
export type Doubt = 'refused' | 'lost';

const DOUBTS: Record<Doubt, [title: string, words: string]> = {
  refused: [TEXTS.refusedTitle, TEXTS.refused],
  lost: [TEXTS.lostTitle, TEXTS.lost],
};

/** The service has responded to everything that was reported, but its result did not arrive. */
const UNKNOWN_RESULT: [title: string, words: string] = [TEXTS.savedTitle, TEXTS.savedWithoutResult];

/** Whether the work is saved. @param further what the learner can do next */
export function savedWords(doubt: Doubt | null, further = ''): string {
  const [title, words] = doubt === null ? [] : DOUBTS[doubt];
  return `${title === undefined ? TEXTS.workSaved : `${title}. ${words}`} ${further}`.trim();
}

/**
 * What the learner can do if something could not be opened, and whether the work is saved.
 * @param isRefused whether the service refuses to open it, so that the connection is not the reason
 */
export function failedWords(doubt: Doubt | null, isRefused = false): string {
  const advice = isRefused ? TEXTS.refusedToOpen : TEXTS.failed;
  return `${advice} ${doubt === null ? TEXTS.earlierKept : savedWords(doubt)}`;
}

/** The notice for a unit that records nothing; null for a unit that records. */
export function modeWords(mode: string, isReview: boolean): string | null {
  if (mode === 'preview') return TEXTS.preview;
  if (mode === 'browse') return TEXTS.browse;
  if (mode === 'review') return TEXTS.reviewMode;
  return isReview ? TEXTS.review : null;
}

/** The notice once the course has ended its session. If nothing is recorded, the notice says so instead. */
export function endedWords(
  { mode, units }: PageResponse,
  { isReview, doubt }: { isReview: boolean; doubt: Doubt | null },
): string {
  const ended = units.length > 1 ? TEXTS.unitEndedHere : TEXTS.courseEndedHere;
  return modeWords(mode, isReview) ?? (doubt === null ? ended : savedWords(doubt));
}

/**
 * The page after the exit: what was recorded, and how to continue.
 * @param result the list that {@link fillResult} fills
 * @param isResultKnown whether the list shows what was recorded last
 * @param isClosed whether the learner cannot open the course again
 */
export function recordCard(
  page: PageResponse,
  result: HTMLElement,
  { doubt, isResultKnown, isClosed }: { doubt: Doubt | null; isResultKnown: boolean; isClosed: boolean },
): HTMLElement {
  const { course, mode, units } = page;
  const back = element('button', { onclick: () => location.reload() }, TEXTS.back);
  const actions = element('div', { class: 'actions' }, goOnButton(page.returnUrl), back);
  if (mode === 'preview') return cardOf(TEXTS.previewOverTitle, TEXTS.previewOver, actions);
  if (mode !== 'normal') return cardOf(TEXTS.lookingOverTitle, TEXTS.lookingOver, actions);
  const ending = isResultKnown ? endingOf(page.result, isClosed) : UNKNOWN_RESULT;
  const [title, words] = doubt === null ? ending : DOUBTS[doubt];
  const list =
    units.length > 1
      ? element(
          'ol',
          { class: 'record' },
          ...units.map((unit) => element('li', {}, ...unitWords(unit, course.language))),
        )
      : null;
  const heading = list === null ? null : element('h3', {}, TEXTS.contents);
  // What the page last knew may be older than what was recorded.
  if (doubt === 'lost' || !isResultKnown) return cardOf(title, words, actions);
  return cardOf(title, words, result, heading, list, actions);
}

function goOnButton(returnUrl: string | null): HTMLElement | null {
  if (returnUrl === null) return null;
  return element('button', { class: 'main', onclick: () => location.replace(returnUrl) }, TEXTS.goOn);
}

function endingOf({ completion, success }: Result, isClosed: boolean): [string, string] {
  if (completion === 'Completed' && success !== 'FAIL') return [TEXTS.finishedTitle, TEXTS.finished];
  const [title, again] =
    success === 'FAIL' && completion === 'Completed'
      ? [TEXTS.notPassedTitle, TEXTS.notPassed]
      : [TEXTS.unfinishedTitle, TEXTS.unfinished];
  return [title, isClosed ? TEXTS.closed : again];
}

/** Fills a description list with the result of a whole course. */
export function fillResult(list: HTMLElement, { completion, success, score }: Result): void {
  const rows: [string, string, string | null][] = [
    [TEXTS.completion, TEXTS.completionWords[completion], null],
  ];
  if (success !== 'UNKNOWN') {
    rows.push([TEXTS.success, TEXTS.successWords[success], success === 'PASS' ? 'good' : 'bad']);
  }
  if (score !== null) rows.push([TEXTS.score, scoreText(score), null]);
  list.replaceChildren(
    ...rows.map(([term, value, kind]) =>
      element('div', {}, element('dt', {}, term), element('dd', { class: kind }, value)),
    ),
  );
}

/** A title from the course, in its own direction and language. @param language null if it is not known */
export function titleOf(title: string, language: string | null): HTMLElement {
  return element('bdi', { lang: language }, title);
}

/** A unit's title and, in small text, its status. */
export function unitWords(unit: Unit, language: string | null): [Node, Node] {
  const kind = unit.success === 'PASS' ? 'good' : unit.success === 'FAIL' ? 'bad' : null;
  return [titleOf(unit.title, language), element('small', { class: kind }, statusOf(unit))];
}

function statusOf({ completion, success, score, isOpen }: Unit): string {
  if (!isOpen) return TEXTS.notOpen;
  const parts: string[] = [TEXTS.completionWords[completion], TEXTS.successWords[success]];
  if (score !== null) parts.push(`${TEXTS.score}: ${scoreText(score)}`);
  return parts.filter((each) => each !== '').join(' · ');
}

function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100);
}
