import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { UnitState } from '../attempts/attempt.ts';
import { type Cmi, cmiOf, isLeftOpen, part, textIn } from '../scorm/cmi.ts';
import { lessonStatusOf, timespanMs, timespanOf } from '../scorm/scorm12-status.ts';
import type { Session } from '../sessions/session.ts';
import { readSessionTimes, type SessionTimes } from '../sessions/session-times.ts';
import { readGroups, readRows, readValues } from './hacp-message.ts';

/**
 * Reads and writes AICC data. It is stored as SCORM 1.2 data, whose model derives from AICC, so both share one mapping.
 */

/** The stored data of a unit. */
export interface AiccUnitData extends SessionTimes {
  cmi: Cmi;
  /** Whether the unit has sent `ExitAU` in its latest session. */
  terminated: boolean;
  /** The session that has set the status in `cmi`; null if none has. Missing in the data of earlier releases. */
  statusOf: string | null;
  /** What `GetParam` says of the entry while the latest session has only read; missing once it has sent something. */
  entry?: string;
}

/** Only the first letter of these words is significant (CMI001, chapter 5). */
const STATUSES = ['passed', 'completed', 'failed', 'incomplete', 'browsed', 'not attempted'];
const EXITS = ['logout', 'time-out', 'suspend'];
const RESULTS = ['correct', 'wrong', 'neutral', 'unanticipated'];
const TYPES = [
  'choice',
  'true-false',
  'fill-in',
  'matching',
  'performance',
  'sequencing',
  'likert',
  'numeric',
  'unanticipated',
];
/** The preferences that are integers, with their bounds. The others are text. */
const PREFERENCE_BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  audio: [-1, 100],
  speed: [-100, 100],
  text: [-1, 1],
};
const MAX_ROWS = 5_000;
const MAX_PREFERENCES = 100;
/** Maximum length of a score. No number needs as many digits. */
const MAX_SCORE_LENGTH = 40;
const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const INTEGER = /^[+-]?\d{1,9}$/;

/** Reads the stored data of a unit. */
export function readAiccUnit(unit: UnitState | null): AiccUnitData {
  const data = (unit?.data ?? {}) as Partial<AiccUnitData>;
  const { terminated = false, statusOf = null, entry } = data;
  const read = { cmi: cmiOf(unit), terminated, statusOf, ...readSessionTimes(data) };
  return entry === undefined ? read : { ...read, entry };
}

/** The entry that `GetParam` adds to the status: whether the unit begins, is resumed, or neither (empty). */
export function entryOf(current: UnitState | null, sessionId: string): string {
  const latest = readAiccUnit(current);
  const isOwn = latest.sessionId === sessionId;
  if (isOwn && latest.entry !== undefined) return latest.entry;
  const isResumed = isOwn ? textIn(part(latest.cmi, 'core'), 'exit') === 'suspend' : isLeftOpen(current);
  return current === null ? 'ab-initio' : isResumed ? 'resume' : '';
}

/** The data model at the start of another session. The time of the session before is counted already. */
export function withoutSessionTime(before: Cmi): Cmi {
  const { session_time: _earlier, ...core } = part(before, 'core');
  return { ...before, core };
}

/**
 * The data model after `PutParam`. Values that the message omits are kept. So are values whose replacement has the
 * wrong type or range, because HACP has no error for that.
 */
export function withParameters(before: Cmi, data: string): Cmi {
  const groups = readGroups(data);
  const next: Record<string, unknown> = { ...before };
  const core = groups.get('core');
  if (core !== undefined) next.core = withCore(part(before, 'core'), readValues(core));
  const suspended = groups.get('core_lesson');
  if (suspended !== undefined) next.suspend_data = textOf(suspended);
  const comments = groups.get('comments');
  if (comments !== undefined) next.comments = textOf(comments);
  const objectives = groups.get('objectives_status');
  if (objectives !== undefined) {
    next.objectives = withObjectives(part(before, 'objectives'), readValues(objectives));
  }
  const preferences = groups.get('student_preferences');
  if (preferences !== undefined) {
    next.student_preference = withPreferences(part(before, 'student_preference'), readValues(preferences));
  }
  return next;
}

/** Whether `PutParam` sets the status of the unit. */
export function setsStatus(data: string): boolean {
  return statusIn(readValues(readGroups(data).get('core') ?? [])) !== '';
}

/** The status in core values; empty if there is none, or not a valid one. */
function statusIn(core: ReadonlyMap<string, string>): string {
  const [status = ''] = (core.get('lesson_status') ?? '').split(',', 1);
  return longForm(status, STATUSES);
}

/** Free text without the empty lines at its end, which are part of the message format. */
function textOf(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1).join('\r\n');
}

function withCore(before: Cmi, values: ReadonlyMap<string, string>): Cmi {
  const [, exit = ''] = (values.get('lesson_status') ?? '').split(',', 2);
  const status = statusIn(values);
  const score = scoreIn(values.get('score'));
  const time = values.get('time') ?? '';
  return {
    ...before,
    // Core values without an exit cancel an earlier exit.
    exit: longForm(exit, EXITS),
    ...(values.has('lesson_location') ? { lesson_location: values.get('lesson_location') } : {}),
    ...(status === '' ? {} : { lesson_status: status }),
    ...(score === null ? {} : { score }),
    ...(timespanMs(time) === null ? {} : { session_time: time }),
  };
}

/** A score: raw, maximum, minimum; null if the raw score is not a number. */
function scoreIn(text = ''): { raw: string; max: string; min: string } | null {
  const [raw = '', max = '', min = ''] = text.split(',', 3).map((each) => each.trim());
  return isDecimal(raw) ? { raw, max: isDecimal(max) ? max : '', min: isDecimal(min) ? min : '' } : null;
}

function isDecimal(text: string): boolean {
  return text.length <= MAX_SCORE_LENGTH && DECIMAL.test(text);
}

/** The word that a text abbreviates; empty if there is none. Courses send the first letter, or any prefix. */
function longForm(text: string, words: readonly string[]): string {
  const wanted = text
    .trim()
    .toLowerCase()
    .replace(/^n\/?a$/, 'not attempted');
  return wanted === ''
    ? ''
    : (words.find((word) => word.startsWith(wanted)) ?? words.find((word) => word[0] === wanted[0]) ?? '');
}

/** The objectives after a message: those with an id in the message are changed or added. */
function withObjectives(before: Cmi, values: ReadonlyMap<string, string>): Cmi {
  const objectives = new Map(Object.values(before).map((each) => [textIn(each as Cmi, 'id'), each as Cmi]));
  for (const [name, id] of values) {
    const number = /^j_id\.(\d{1,4})$/.exec(name)?.[1];
    if (number === undefined || id === '') continue;
    const existing = objectives.get(id);
    if (existing === undefined && objectives.size >= MAX_ROWS) continue;
    const score = scoreIn(values.get(`j_score.${number}`));
    const status = longForm(values.get(`j_status.${number}`) ?? '', STATUSES);
    objectives.set(id, {
      id,
      status: status || textIn(existing ?? {}, 'status'),
      score: { raw: score?.raw ?? textIn(part(existing ?? {}, 'score'), 'raw') },
    });
  }
  return Object.fromEntries([...objectives.values()].map((each, at) => [String(at), each]));
}

function withPreferences(before: Cmi, values: ReadonlyMap<string, string>): Cmi {
  const preferences = new Map(Object.entries(before));
  for (const [name, value] of values) {
    const bounds = Object.hasOwn(PREFERENCE_BOUNDS, name) ? PREFERENCE_BOUNDS[name] : undefined;
    const isNew = !preferences.has(name);
    if (isNew && preferences.size >= MAX_PREFERENCES) continue;
    if (bounds === undefined) preferences.set(name, value);
    else if (INTEGER.test(value) && Number(value) >= bounds[0] && Number(value) <= bounds[1]) {
      preferences.set(name, value);
    }
  }
  return Object.fromEntries(preferences);
}

/** The data model after `PutInteractions`, which appends rows. */
export function withInteractions(before: Cmi, data: string): Cmi {
  const existing = Object.values(part(before, 'interactions'));
  const added = readRows(data, MAX_ROWS).map((row) => ({
    id: row.interaction_id ?? '',
    type: wordOr(row.type_interaction, TYPES),
    date: row.date ?? '',
    time: row.time ?? '',
    result: wordOr(row.result, RESULTS),
    student_response: row.student_response ?? '',
    correct_responses: { 0: { pattern: row.correct_response ?? '' } },
    objectives: { 0: { id: row.objective_id ?? '' } },
    weighting: row.weighting ?? '',
    latency: row.latency ?? '',
  }));
  return { ...before, interactions: { ...[...existing, ...added].slice(0, MAX_ROWS) } };
}

/** The word that a text abbreviates, or the text itself, such as a number. */
function wordOr(text = '', words: readonly string[]): string {
  return longForm(text, words) || text;
}

/** The data model after another command with rows. They are stored unchanged, for readers of the raw data. */
export function withRows(before: Cmi, name: string, data: string): Cmi {
  const existing = Object.values(part(before, name));
  return { ...before, [name]: { ...[...existing, ...readRows(data, MAX_ROWS)].slice(0, MAX_ROWS) } };
}

/** The data that `GetParam` returns. */
export function parametersOf({
  unit,
  learnerId,
  current,
  session: { sessionId, mode },
}: {
  unit: LaunchUnit;
  learnerId: string;
  current: UnitState | null;
  session: Pick<Session, 'sessionId' | 'mode'>;
}): string {
  const cmi = cmiOf(current);
  const core = part(cmi, 'core');
  const score = part(core, 'score');
  const latest = readAiccUnit(current);
  const reported = textIn(core, 'lesson_status');
  // Otherwise, it comes from an earlier visit, and the recorded status counts.
  const status = latest.statusOf === sessionId ? reported : lessonStatusOf(current, reported);
  const entry = entryOf(current, sessionId);
  const scores = [textIn(score, 'raw'), textIn(score, 'max'), textIn(score, 'min')];
  const lines = [
    '[Core]',
    `Student_ID=${oneLine(learnerId)}`,
    `Student_Name=${oneLine(learnerId)}`,
    `Credit=${mode === 'Normal' ? 'credit' : 'no-credit'}`,
    `Lesson_Location=${oneLine(textIn(core, 'lesson_location'))}`,
    `Lesson_Status=${status}${entry === '' ? '' : `, ${entry}`}`,
    `Score=${scores.join(',').replace(/,+$/, '')}`,
    `Time=${timespanOf(current?.durationMs ?? 0)}`,
    `Lesson_Mode=${mode.toLowerCase()}`,
    'Output_File=',
    '[Core_Lesson]',
    // Unchanged: leading spaces and empty lines belong to the unit's data.
    typeof cmi.suspend_data === 'string' ? cmi.suspend_data : '',
    '[Core_Vendor]',
    (unit.launchData ?? '').replaceAll(/<cr>/gi, '\r\n'),
    '[Objectives_Status]',
    ...Object.values(part(cmi, 'objectives')).flatMap((each, at) => objectiveLines(each as Cmi, at + 1)),
    '[Student_Data]',
    `Mastery_Score=${unit.masteryScore ?? ''}`,
    `Max_Time_Allowed=${unit.maxTimeAllowed ?? ''}`,
    `Time_Limit_Action=${unit.timeLimitAction ?? ''}`,
    '[Student_Preferences]',
    ...Object.entries(part(cmi, 'student_preference')).map(
      ([name, value]) => `${name}=${oneLine(String(value))}`,
    ),
  ];
  return lines.join('\r\n');
}

function objectiveLines(objective: Cmi, number: number): string[] {
  return [
    `J_ID.${number}=${oneLine(textIn(objective, 'id'))}`,
    `J_Score.${number}=${oneLine(textIn(part(objective, 'score'), 'raw'))}`,
    `J_Status.${number}=${oneLine(textIn(objective, 'status'))}`,
  ];
}

/** Removes line breaks, so that a value cannot inject a line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
