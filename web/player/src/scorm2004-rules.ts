import { durationMs } from '../../../src/player/scorm/scorm2004-status.ts';

/** What the engine does not check; error codes of the standard (Run-Time Environment 3.1.7). */
const GET_FAILURE = 301;
const SET_FAILURE = 351;
const TYPE_MISMATCH = 406;

const DURATIONS = /^cmi\.(?:session_time|interactions\.\d+\.latency)$/;
const IDS = /^cmi\.(?:objectives\.(\d+)|interactions\.(\d+))\.id$/;
/** RFC 2141. */
const URN = /^urn:[a-z0-9][a-z0-9-]{1,31}:[^\s<>"\\^`{|}~]+$/i;

/**
 * The error of reading an element of a list that is not that long; 0 for every other element.
 * @param countOf answers the length of a list
 */
export function readError(element: string, countOf: (list: string) => number): number {
  for (const { index, 0: match, 1: place } of element.matchAll(/\.(\d+)(?=\.)/g)) {
    if (match !== '' && Number(place) >= countOf(element.slice(0, index))) return GET_FAILURE;
  }
  return 0;
}

/**
 * The error of a value that an element cannot have; 0 when the engine decides.
 * @param read answers an element's value
 */
export function setError(element: string, value: string, read: (element: string) => string): number {
  if (DURATIONS.test(element)) return durationMs(value) === null ? TYPE_MISMATCH : 0;
  const [, objective, interaction] = IDS.exec(element) ?? [];
  const index = objective ?? interaction;
  const list = objective === undefined ? 'cmi.interactions' : 'cmi.objectives';
  // One that skips a place is refused for that.
  const count = Number(read(`${list}._count`)) || 0;
  if (index === undefined || Number(index) > count) return 0;
  const isValid = value.trim() !== '' && (!/^urn:/i.test(value) || URN.test(value));
  if (!isValid) return TYPE_MISMATCH;
  // The ids of objectives are unique. The engine refuses another one too, but keeps the objective without its id.
  const others = Array.from({ length: objective === undefined ? 0 : count }, (_, at) => at);
  const isTaken = others.some((at) => at !== Number(index) && read(`${list}.${at}.id`) === value);
  return isTaken ? SET_FAILURE : 0;
}
