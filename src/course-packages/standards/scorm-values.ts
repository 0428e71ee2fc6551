import type { CourseFiles } from '../course-files.ts';
import { quoted } from '../package-error.ts';
import { attributeOf, type XmlElement } from '../xml-tree.ts';

/** The range of weights, shares and progress measures. */
export const FRACTION = [0, 1] as const;

/**
 * Reads typed attributes of a SCORM manifest. An invalid value is replaced by the standard's default, with a warning.
 */
export class ScormValues {
  readonly #course: CourseFiles;

  constructor(course: CourseFiles) {
    this.#course = course;
  }

  /** `xs:boolean`, case-insensitive because authoring tools write `True`. */
  flag(element: XmlElement | undefined, name: string, fallback: boolean): boolean {
    const text = attributeOf(element, name)?.toLowerCase() ?? null;
    if (text === null) return fallback;
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    this.#ignored(element!, name, text);
    return fallback;
  }

  /** A value of a vocabulary, case-insensitive. */
  oneOf<const Values extends readonly string[]>(
    element: XmlElement | undefined,
    name: string,
    values: Values,
    fallback: Values[number],
  ): Values[number] {
    const text = attributeOf(element, name);
    if (text === null) return fallback;
    const value = this.word(text, values);
    if (value !== null) return value;
    this.#ignored(element!, name, text);
    return fallback;
  }

  /** The word of a vocabulary that matches a text, case-insensitive; null if there is none. */
  word<const Values extends readonly string[]>(text: string | null, values: Values): Values[number] | null {
    const wanted = text?.toLowerCase();
    return values.find((value) => value.toLowerCase() === wanted) ?? null;
  }

  /** A number within limits. */
  number(
    element: XmlElement | undefined,
    name: string,
    [lowest, highest]: readonly [number, number],
    fallback: number,
  ): number {
    const text = attributeOf(element, name);
    if (text === null) return fallback;
    const number = Number(text);
    if (number >= lowest && number <= highest) return number;
    this.#ignored(element!, name, text);
    return fallback;
  }

  /** A whole number that is not negative, or null. */
  count(element: XmlElement | undefined, name: string): number | null {
    const text = attributeOf(element, name);
    if (text === null) return null;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    this.#ignored(element!, name, text);
    return null;
  }

  #ignored(element: XmlElement, name: string, text: string): void {
    this.#course.warn(
      `The attribute ${name} of an element ${quoted(element.name)} is ${quoted(text)}, which the standard does not ` +
        'define. The default is used.',
    );
  }
}
