import { SUBTOPICS, type Subtopic } from '../../../../../src/events/catalogue.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../../../../src/text-lengths.ts';
import { lengthOf } from '../../../utilities/length-of.ts';
import { toAddressTime } from '../../../utilities/local-time.ts';

/** The filters of the history in the address, except the outcome. */
export interface HistorySearch {
  event?: Subtopic;
  learner?: string;
  account?: number;
  course?: number;
  message?: string;
  code?: number;
  /** With the time zone: `2026-11-21T02:15Z`. */
  from?: string;
  until?: string;
}

/** The names in the address. */
export const HISTORY_FILTERS = [
  'event',
  'learner',
  'account',
  'course',
  'message',
  'code',
  'from',
  'until',
] as const satisfies readonly (keyof HistorySearch)[];

/** Drops unknown members, because people edit addresses. */
export function historySearch(given: Record<string, unknown>): HistorySearch {
  const found: HistorySearch = {};
  const event = SUBTOPICS.find((subtopic) => subtopic === given.event);
  if (event !== undefined) found.event = event;
  for (const name of ['learner', 'message'] as const) {
    const text = typeof given[name] === 'number' ? String(given[name]) : given[name];
    if (typeof text === 'string' && text !== '' && lengthOf(text) <= MAX_LEARNER_ID_LENGTH)
      found[name] = text;
  }
  for (const name of ['account', 'course', 'code'] as const) {
    const number = Number(given[name]);
    const isAllowed = Number.isSafeInteger(number) && number > 0;
    if (isAllowed && (name !== 'code' || (number >= 100 && number <= 999))) found[name] = number;
  }
  for (const name of ['from', 'until'] as const) {
    const text = given[name];
    const time = typeof text === 'string' ? toAddressTime(text) : null;
    if (time !== null) found[name] = time;
  }
  return found;
}

/** The filters as members of the API. */
export function historyFilter(search: HistorySearch): Record<string, string | number> {
  const { event, learner, account, course, message, code, from, until } = search;
  const given = {
    subtopic: event,
    learner_id: learner,
    account_id: account,
    course_id: course,
    message_id: message,
    response_status: code,
    from_dt: from === undefined ? undefined : new Date(from).toISOString(),
    until_dt: until === undefined ? undefined : new Date(until).toISOString(),
  };
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
