import { durationMs } from '../../../src/player/scorm/scorm2004-status.ts';
import { isBeyond } from './element-of.ts';
import { type AnswersModel, interactionIn, interactionOf, isTextElement } from './kept-values.ts';
import { isAnswer, isText } from './scorm2004-answers.ts';
import { DEPENDENCY, GET_FAILURE, SET_FAILURE, TYPE_MISMATCH } from './scorm2004-errors.ts';

const DURATIONS = /^cmi\.(?:session_time|interactions\.\d+\.latency)$/;
const IDS = /^cmi\.(?:objectives\.(\d+)|interactions\.(\d+))\.id$/;
/** Elements without an initial value. The engine returns an empty text for them. */
const UNSET = /^cmi\.(?:launch_data|comments_from_(?:learner|lms)\.\d+\.(?:comment|location|timestamp))$/;
const CAPTIONING = 'cmi.learner_preference.audio_captioning';
const MEMBERS = /^(cmi\.(?:objectives|interactions))\.(\d+)\.(?!id$|(?:.*\.)?_)/;
/** The most characters of a text or an answer. */
const MOST_TEXT = 2 ** 20;
/** Types of interactions that have at most one correct answer. */
const ONE_PATTERN = ['true-false', 'likert', 'numeric', 'other'];
/** RFC 2141. */
const URN = /^urn:[a-z0-9][a-z0-9-]{1,31}:[^\s<>"\\^`{|}~]+$/i;

/** The error of reading a list item that does not exist; 0 for every other element. */
export function readError(element: string, countOf: (list: string) => number): number {
  return isBeyond(element, countOf) ? GET_FAILURE : 0;
}

/** Whether an element has no value until it is set. */
export function isUnset(element: string): boolean {
  return UNSET.test(element);
}

/**
 * The error of setting an element to an invalid value; 0 if the engine decides.
 * @param read returns the value of an element
 */
export function setError(element: string, value: string, read: (element: string) => string): number {
  const countOf = (list: string) => Number(read(`${list}._count`)) || 0;
  // The engine rejects an index that skips an item.
  if (isBeyond(element, (list) => countOf(list) + 1)) return 0;
  const [, itsList, place] = MEMBERS.exec(element) ?? [];
  // The other members depend on the id, but the engine does not check that for each of them.
  if (itsList !== undefined && Number(place) === countOf(itsList)) return DEPENDENCY;
  if (!IDS.test(element) && isBeyond(element, countOf)) return 0;
  if (DURATIONS.test(element)) return durationMs(value) === null ? TYPE_MISMATCH : 0;
  if (element === CAPTIONING) return ['-1', '0', '1'].includes(value) ? 0 : TYPE_MISMATCH;
  const [, objective, interaction] = IDS.exec(element) ?? [];
  const index = objective ?? interaction;
  const list = objective === undefined ? 'cmi.interactions' : 'cmi.objectives';
  if (index === undefined) return 0;
  const count = countOf(list);
  const isValid = value.trim() !== '' && (!/^urn:/i.test(value) || URN.test(value));
  if (!isValid) return TYPE_MISMATCH;
  // The ids of objectives are unique. The engine also rejects a duplicate, but keeps the objective without its id.
  const others = Array.from({ length: objective === undefined ? 0 : count }, (_, at) => at);
  const isTaken = others.some((at) => at !== Number(index) && read(`${list}.${at}.id`) === value);
  return isTaken ? SET_FAILURE : 0;
}

/** The error of setting a text or an answer to a value that the standard forbids; 0 for every other element. */
export function textError(cmi: AnswersModel, element: string, value: string): number {
  const index = interactionOf(element);
  if (index === null) {
    if (!isTextElement(element)) return 0;
    const isValid = element.endsWith('.location') || isText(value);
    return isValid && value.length <= MOST_TEXT ? 0 : TYPE_MISMATCH;
  }
  const { type, patterns } = interactionIn(cmi, index);
  const at = /\.correct_responses\.(\d+)\.pattern$/.exec(element)?.[1];
  const isPattern = at !== undefined;
  // The engine rejects an answer without a type, an index that skips an item, and a second pattern of these types.
  if (type === '' || (isPattern && Number(at) > patterns.length)) return 0;
  if (isPattern && Number(at) > 0 && ONE_PATTERN.includes(type)) return 0;
  if (value.length > MOST_TEXT || !isAnswer(type, value, isPattern)) return TYPE_MISMATCH;
  const isTaken = patterns.some((pattern, place) => place !== Number(at) && pattern === value);
  return isPattern && type === 'choice' && isTaken ? SET_FAILURE : 0;
}
