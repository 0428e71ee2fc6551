import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { UnitState } from '../attempts/attempt.ts';
import { type Cmi, cmiOf, part, textIn } from '../scorm/cmi.ts';
import { timespanOf } from '../scorm/scorm12-status.ts';
import type { SessionMode } from '../sessions/session.ts';
import { readGroups, readRows, readValues } from './hacp-message.ts';

/** AICC data in and out. It is kept as SCORM 1.2 keeps it, which comes of AICC: one model, one mapping. */

/** What is kept of a unit. */
export interface AiccUnitData {
  cmi: Cmi;
  /** Whether the unit has said that it is done for now. */
  terminated: boolean;
  /** The session that was counted last, its time and that of those before. */
  sessionId: string | null;
  sessionMs: number;
  earlierMs: number;
}

const STATUSES = ['passed', 'completed', 'failed', 'incomplete', 'browsed', 'not attempted'];
const EXITS = ['logout', 'time-out', 'suspend'];
const MAX_ROWS = 5_000;

/** What a unit left. */
export function readAiccUnit(present: UnitState | null): AiccUnitData {
  const data = (present?.data ?? {}) as Partial<AiccUnitData>;
  return {
    cmi: cmiOf(present),
    terminated: data.terminated ?? false,
    sessionId: data.sessionId ?? null,
    sessionMs: data.sessionMs ?? 0,
    earlierMs: data.earlierMs ?? 0,
  };
}

/** The data model after `PutParam`: what the message leaves out stays. */
export function withParameters(before: Cmi, data: string): Cmi {
  const groups = readGroups(data);
  const core = readValues(groups.get('core'));
  const next: Record<string, unknown> = { ...before, core: withCore(part(before, 'core'), core) };
  const suspended = groups.get('core_lesson');
  if (suspended !== undefined) next.suspend_data = textOf(suspended);
  const comments = groups.get('comments');
  if (comments !== undefined) next.comments = textOf(comments);
  const objectives = groups.get('objectives_status');
  if (objectives !== undefined) next.objectives = objectivesOf(readValues(objectives));
  const preferences = groups.get('student_preferences');
  if (preferences !== undefined) next.student_preference = Object.fromEntries(readValues(preferences));
  return next;
}

/** Free text without the empty lines at its end, which belong to the message. */
function textOf(lines: readonly string[]): string {
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1).join('\r\n');
}

function withCore(before: Cmi, values: ReadonlyMap<string, string>): Cmi {
  const [status = '', exit = ''] = (values.get('lesson_status') ?? '').split(',', 2);
  const [raw, max, min] = (values.get('score') ?? '').split(',').map((each) => each.trim());
  return {
    ...before,
    // A message without an exit takes back what an earlier one said.
    exit: longForm(exit, EXITS),
    ...(values.has('lesson_location') ? { lesson_location: values.get('lesson_location') } : {}),
    ...(longForm(status, STATUSES) === '' ? {} : { lesson_status: longForm(status, STATUSES) }),
    ...(raw === undefined || raw === '' ? {} : { score: { raw, max: max ?? '', min: min ?? '' } }),
    ...(values.has('time') ? { session_time: values.get('time') } : {}),
  };
}

/** Courses abbreviate to the first letter, or to any beginning. */
function longForm(text: string, words: readonly string[]): string {
  const wanted = text
    .trim()
    .toLowerCase()
    .replace(/^n\/?a$/, 'not attempted');
  return wanted === ''
    ? ''
    : (words.find((word) => word.startsWith(wanted)) ?? words.find((word) => word[0] === wanted[0]) ?? '');
}

function objectivesOf(values: ReadonlyMap<string, string>): Record<string, object> {
  const objectives: Record<string, { id: string; status: string; score: { raw: string } }> = {};
  for (const [name, id] of values) {
    const number = /^j_id\.(\d{1,4})$/.exec(name)?.[1];
    if (number === undefined) continue;
    const [raw = ''] = (values.get(`j_score.${number}`) ?? '').split(',');
    const status = longForm(values.get(`j_status.${number}`) ?? '', STATUSES);
    objectives[String(Number(number) - 1)] = { id, status, score: { raw: raw.trim() } };
  }
  return objectives;
}

/** The data model after `PutInteractions`: rows add to those that are there. */
export function withInteractions(before: Cmi, data: string): Cmi {
  const present = Object.values(part(before, 'interactions'));
  const added = readRows(data, MAX_ROWS).map((row) => ({
    id: row.interaction_id ?? '',
    type: row.type_interaction ?? '',
    time: row.time ?? '',
    result: row.result ?? '',
    student_response: row.student_response ?? '',
    correct_responses: { 0: { pattern: row.correct_response ?? '' } },
    objectives: { 0: { id: row.objective_id ?? '' } },
    weighting: row.weighting ?? '',
    latency: row.latency ?? '',
  }));
  return { ...before, interactions: { ...[...present, ...added].slice(0, MAX_ROWS) } };
}

/** The data model after another command that brings rows: kept as they are, for readers of the raw data. */
export function withRows(before: Cmi, name: string, data: string): Cmi {
  const present = Object.values(part(before, name));
  return { ...before, [name]: { ...[...present, ...readRows(data, MAX_ROWS)].slice(0, MAX_ROWS) } };
}

/** What `GetParam` answers. */
export function parametersOf({
  unit,
  learnerId,
  present,
  mode,
}: {
  unit: LaunchUnit;
  learnerId: string;
  present: UnitState | null;
  mode: SessionMode;
}): string {
  const cmi = cmiOf(present);
  const core = part(cmi, 'core');
  const score = part(core, 'score');
  const status = textIn(core, 'lesson_status') || 'not attempted';
  const entry = present === null ? ', ab-initio' : textIn(core, 'exit') === 'suspend' ? ', resume' : '';
  const scores = [textIn(score, 'raw'), textIn(score, 'max'), textIn(score, 'min')];
  const lines = [
    '[Core]',
    `Student_ID=${oneLine(learnerId)}`,
    `Student_Name=${oneLine(learnerId)}`,
    `Credit=${mode === 'Normal' ? 'credit' : 'no-credit'}`,
    `Lesson_Location=${oneLine(textIn(core, 'lesson_location'))}`,
    `Lesson_Status=${status}${entry}`,
    `Score=${scores.join(',').replace(/,+$/, '')}`,
    `Time=${timespanOf(present?.durationMs ?? 0)}`,
    `Lesson_Mode=${mode.toLowerCase()}`,
    'Output_File=',
    '[Core_Lesson]',
    // As it is: spaces and empty lines at its beginning are the unit's own.
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

/** A value may not begin a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
