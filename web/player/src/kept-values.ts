import { setInLists } from './element-lists.ts';

/**
 * The engine rejects texts and numbers that the standards allow, such as the answer to an essay question. So it gets a
 * stand-in, with which it checks whether the element can be set. Then the value is put in the place of the stand-in.
 */

const TEXT =
  /^cmi\.(?:(?:interactions|objectives)\.\d+\.description|comments_from_learner\.\d+\.(?:comment|location))$/;
const ANSWER =
  /^cmi\.interactions\.(\d+)\.(?:learner_response|student_response|correct_responses\.\d+\.pattern)$/;
const RESULT = /^cmi\.interactions\.\d+\.result$/;
/** A list has an item for each of these, even if it is empty. */
const MAIN_MEMBER = /\.(?:pattern|comment)$/;

/** The standards limit neither the digits nor the sign of a numeric result. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const STAND_IN = 'x';
/** Stand-ins by the type of the interaction. Correct choices are unique, so theirs contains what no text contains. */
const STAND_INS: Readonly<Record<string, string>> = {
  'true-false': 'true',
  choice: '\ufdd0',
  matching: 'x[.]x',
  performance: 'x[.]x',
  numeric: '1',
};

/** The part of the engine's data model that holds answers. */
export interface AnswersModel {
  interactions: { childArray: object[] };
}

/** Whether an element is a text, but not an answer. */
export function isTextElement(element: string): boolean {
  return TEXT.test(element);
}

/** The index of the interaction that an answer or a correct answer belongs to; null for other elements. */
export function interactionOf(element: string): number | null {
  const index = ANSWER.exec(element)?.[1];
  return index === undefined ? null : Number(index);
}

/** The type of an interaction, and its correct answers. */
export function interactionIn(cmi: AnswersModel, index: number): { type: string; patterns: string[] } {
  // In SCORM 1.2, only the private members can be read.
  const { _type: type = '', correct_responses: list } = (cmi.interactions.childArray[index] ?? {}) as {
    _type?: string;
    correct_responses?: { childArray: { _pattern: string }[] };
  };
  return { type, patterns: (list?.childArray ?? []).map(({ _pattern }) => _pattern) };
}

/**
 * Sets an element, with a stand-in if the engine may reject a value that the standards allow.
 * @param set sets the element to the value that the engine gets
 */
export function setKept(
  cmi: AnswersModel,
  element: string,
  value: string,
  set: (given: string) => string,
): string {
  const standIn = standInFor(element, value, (index) => interactionIn(cmi, index).type);
  const result = setInLists(cmi, element, () => set(standIn ?? value));
  if (standIn !== null && result === 'true') keep(cmi, element, value);
  return result;
}

/** Loads the stored data of a unit. */
export function loadCmi(
  inner: { cmi: AnswersModel; loadFromJSON(json: never): void },
  cmi: Record<string, unknown>,
): void {
  const kept = new Map<string, string>();
  const typeOf = (index: number) =>
    String((cmi.interactions as Record<number, { type?: unknown }>)[index]?.type ?? '');
  const given = mapTexts(cmi, 'cmi', (element, value) => {
    const isMissing = value === '' && !MAIN_MEMBER.test(element);
    const standIn = isMissing ? null : standInFor(element, value, typeOf);
    if (standIn === null) return value;
    kept.set(element, value);
    return standIn;
  });
  inner.loadFromJSON({ cmi: given } as never);
  for (const [element, value] of kept) keep(inner.cmi, element, value);
}

/** The value that the engine gets instead of a value; null if it gets the value itself. */
function standInFor(element: string, value: string, typeOf: (index: number) => string): string | null {
  if (RESULT.test(element)) return DECIMAL.test(value) ? 'neutral' : null;
  const index = interactionOf(element);
  if (index !== null) return STAND_INS[typeOf(index)] ?? STAND_IN;
  return isTextElement(element) ? STAND_IN : null;
}

/** Puts a value in the place of the stand-in, without the checks of the engine. */
function keep(cmi: object, element: string, value: string): void {
  const names = element.split('.').slice(1);
  const member = `_${names.pop()}`;
  let at: unknown = cmi;
  for (const name of names) {
    const list = (at as { childArray?: unknown } | undefined)?.childArray ?? at;
    // An index may begin with zeros.
    at = (list as Record<string, unknown> | undefined)?.[/^\d+$/.test(name) ? Number(name) : name];
  }
  if (typeof at === 'object' && at !== null && member in at) Object.assign(at, { [member]: value });
}

function mapTexts<T>(data: T, element: string, change: (element: string, value: string) => string): T {
  if (typeof data === 'string') return change(element, data) as T;
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).map(
    ([name, each]) => [name, mapTexts(each, `${element}.${name}`, change)] as const,
  );
  return (Array.isArray(data) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as T;
}
