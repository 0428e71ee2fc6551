/**
 * What SCORM 2004 allows as answers, correct answers, and texts with a language (Run-Time Environment 4.1.1 and 4.2.9).
 * The engine is stricter: it rejects texts that begin with a brace, items that repeat, and letters such as ö.
 * Lengths and counts in the standard are those that every player must allow at least, so they are no limits.
 */

/** Marks that may precede a text or a list, with their values. A mark with another name is part of the text. */
const MARKS: Readonly<Record<string, RegExp>> = {
  case_matters: /^(?:true|false)$/,
  order_matters: /^(?:true|false)$/,
  lang: /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i,
};
const MARK = /^\{([^}=]+)=([^}]*)\}/;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
/** A URI, or part of one, with letters of every language. */
const SHORT_IDENTIFIER = /^[^\s\p{Cc}<>"\\^`{|}[\]]+$/u;
/** Many courses use the text of a choice as its identifier. */
const CHOICE = /^.+$/;

/** Whether the standard allows a text that may begin with a language. */
export function isText(value: string): boolean {
  return withoutMarks(value, ['lang']) !== null;
}

/**
 * Whether the standard allows an answer.
 * @param type the type of the interaction
 * @param isPattern whether it is a correct answer of the course, not the answer of the learner
 */
export function isAnswer(type: string, value: string, isPattern: boolean): boolean {
  const unmarked = withoutMarks(value, isPattern ? (PATTERN_MARKS[type] ?? []) : []);
  return unmarked !== null && (ANSWERS[type]?.(unmarked, isPattern) ?? false);
}

const PATTERN_MARKS: Readonly<Record<string, readonly string[]>> = {
  'fill-in': ['case_matters', 'order_matters'],
  'long-fill-in': ['case_matters', 'lang'],
  performance: ['order_matters'],
};

const ANSWERS: Readonly<Record<string, (value: string, isPattern: boolean) => boolean>> = {
  'true-false': (value) => value === 'true' || value === 'false',
  choice(value) {
    const items = value.split('[,]');
    return value === '' || (items.every((item) => CHOICE.test(item)) && new Set(items).size === items.length);
  },
  'fill-in': (value) => value.split('[,]').every(isText),
  'long-fill-in': (value, isPattern) => isPattern || isText(value),
  likert: (value) => SHORT_IDENTIFIER.test(value),
  matching: (value, isPattern) => (value === '' && !isPattern) || arePairs(value, isMatch),
  performance: (value) => arePairs(value, isStep),
  sequencing: (value) => value.split('[,]').every((item) => SHORT_IDENTIFIER.test(item)),
  numeric: (value, isPattern) =>
    NUMBER.test(value.trim()) ||
    (isPattern && isRange(value.includes('[:]') ? value : value.replace(':', '[:]'))),
  other: () => true,
};

/** The text after the marks; null if a mark has an invalid value. Each mark counts once. */
function withoutMarks(text: string, names: readonly string[]): string | null {
  const left = new Set(names);
  let rest = text;
  for (;;) {
    const [mark = '', name = '', value = ''] = MARK.exec(rest) ?? [];
    if (!left.delete(name)) return rest;
    if (MARKS[name]?.test(value) !== true) return null;
    rest = rest.slice(mark.length);
  }
}

/**
 * Whether a text is a list of pairs. Courses that were made for SCORM 1.2 separate pairs and their members with a comma
 * and a dot, without brackets.
 */
function arePairs(value: string, isPair: (first: string, second: string, dot: string) => boolean): boolean {
  const isList = (comma: string, dot: string) =>
    value.split(comma).every((item) => {
      const at = item.indexOf(dot);
      return at >= 0 && isPair(item.slice(0, at), item.slice(at + dot.length), dot);
    });
  const used = (bare: string) => (value.includes(`[${bare}]`) ? `[${bare}]` : bare);
  return isList('[,]', '[.]') || isList(used(','), used('.'));
}

function isMatch(source: string, target: string, dot: string): boolean {
  return !target.includes(dot) && SHORT_IDENTIFIER.test(source) && SHORT_IDENTIFIER.test(target);
}

/** A step of a performance has a name, an answer, or both. The answer is a text or a range of numbers. */
function isStep(name: string, answer: string): boolean {
  if ((name === '' && answer === '') || answer.includes('[.]')) return false;
  return (name === '' || SHORT_IDENTIFIER.test(name)) && (!answer.includes('[:]') || isRange(answer));
}

function isRange(value: string): boolean {
  const [least, most, ...others] = value.split('[:]').map((each) => each.trim());
  if (least === undefined || most === undefined || others.length > 0) return false;
  if (![least, most].every((each) => each === '' || NUMBER.test(each))) return false;
  return least === '' || most === '' || Number(least) <= Number(most);
}
