import type { AnswersModel } from './kept-values.ts';

const MEMBER = /^cmi\.interactions\.(\d+)\.(.+)$/;

/**
 * The answers of earlier visits. A SCORM 1.2 course cannot read them, and many number their answers from 0 at each visit.
 * So once a course sets the id of such an answer, it becomes a new one, with only what the course has set in this visit.
 */
export class EarlierAnswers {
  /** By index of an answer that is not yet replaced, the elements that the course has set in this visit. */
  readonly #setNow: Map<number, Map<string, string>>;

  /** @param interactions the stored answers by index */
  constructor(interactions: unknown) {
    const indexes = Object.keys((interactions ?? {}) as object);
    this.#setNow = new Map(indexes.map((index) => [Number(index), new Map()]));
  }

  /**
   * Sets an element, after replacing the answer of an earlier visit if necessary.
   * @param set sets an element to a value in the engine
   */
  set(
    { interactions: { childArray: answers } }: AnswersModel,
    element: string,
    value: string,
    set: (element: string, value: string) => string,
  ): string {
    const [, digits, member] = MEMBER.exec(element) ?? [];
    const index = Number(digits);
    const setNow = this.#setNow.get(index);
    const earlier = answers[index];
    if (setNow === undefined || earlier === undefined) return set(element, value);
    if (member !== 'id') {
      const result = set(element, value);
      if (result === 'true') setNow.set(element, value);
      return result;
    }
    answers[index] = emptyLike(earlier);
    for (const [other, valueNow] of setNow) set(other, valueNow);
    const result = set(element, value);
    if (result === 'true') this.#setNow.delete(index);
    else answers[index] = earlier;
    return result;
  }
}

function emptyLike(answer: object): object {
  const { constructor: Answer } = answer as { constructor: new () => { initialize(): void } };
  const empty = new Answer();
  empty.initialize();
  return empty;
}
