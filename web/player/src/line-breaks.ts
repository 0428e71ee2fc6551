/**
 * The engine rejects texts with line breaks where the standards allow any characters, such as the answer to an essay
 * question. So it gets characters instead of them that no text contains, and everything that it returns is translated back.
 */

const LINE_BREAKS = ['\n', '\r', '\u2028', '\u2029'];
/** Unicode reserves these for use within a program. */
const HIDDEN = ['\ufdd0', '\ufdd1', '\ufdd2', '\ufdd3'];
const ANY_LINE_BREAK = /[\n\r\u2028\u2029]/g;
const ANY_HIDDEN = /[\ufdd0-\ufdd3]/g;

const TEXT = /^cmi\.(?:(?:interactions|objectives)\.\d+\.description|comments_from_learner\.\d+\.comment)$/;
const ANSWER =
  /^cmi\.interactions\.(\d+)\.(?:learner_response|student_response|correct_responses\.\d+\.pattern)$/;

/** Translates between the data of a unit and that of its engine. */
export class LineBreaks {
  /** Most units have none. Then nothing is translated back. */
  #areHidden = false;

  /**
   * The value that the engine gets for an element.
   * @param hasTextAnswers whether the answers of an interaction are texts
   */
  toEngine(element: string, value: string, hasTextAnswers: (index: number) => boolean): string {
    const index = ANSWER.exec(element)?.[1];
    const isText = index === undefined ? TEXT.test(element) : hasTextAnswers(Number(index));
    return isText ? this.#hide(value) : value;
  }

  /** The stored data that the engine gets. */
  dataToEngine<T>(data: T): T {
    return mapTexts(data, (text) => this.#hide(text));
  }

  /** Data or a value of the engine. */
  fromEngine<T>(data: T): T {
    return this.#areHidden ? mapTexts(data, shown) : data;
  }

  #hide(text: string): string {
    return text.replace(ANY_LINE_BREAK, (character) => {
      this.#areHidden = true;
      return HIDDEN[LINE_BREAKS.indexOf(character)]!;
    });
  }
}

function shown(text: string): string {
  return text.replace(ANY_HIDDEN, (character) => LINE_BREAKS[HIDDEN.indexOf(character)]!);
}

function mapTexts<T>(data: T, change: (text: string) => string): T {
  if (typeof data === 'string') return change(data) as T;
  if (Array.isArray(data)) return data.map((each) => mapTexts(each, change)) as T;
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, each]) => [name, mapTexts(each, change)])) as T;
}
