import { isObject } from '../../is-object.ts';
import { ProblemError } from '../../problems/problem.ts';
import { hasMoreMembers } from '../attempts/assert-storable-data.ts';
import type { UnitState } from '../attempts/attempt.ts';
import { scoreInRange } from '../attempts/bounded-score.ts';
import { textDigest } from './text-digest.ts';

/** The members of a data model, as JSON. They come from courses, so they are untrusted until checked. */
export type Cmi = Readonly<Record<string, unknown>>;

/** A change to a text that the server may have as suspend data. Its start and end stay; `text` replaces the rest. */
export interface Splice {
  /** {@link textDigest} of the text that it changes. */
  of: string;
  /** Number of code units that stay. */
  start: number;
  end: number;
  text: string;
}

/** The data model of a unit, as the player page sends it. */
interface CmiCommit {
  cmi: Cmi;
  /** Whether omitted members stay unchanged. */
  isChange?: boolean;
  /** Suspend data as changes, one per text that the server may have. */
  splices?: readonly Splice[];
}

/** Maximum members at the top level of a data model. The standards have at most thirty, and merging many takes long. */
const MAX_NAMES = 1_000;
/** Maximum members at all levels of a data model, including its changes: the same number as in a single save. */
const MAX_MEMBERS = 50_000;

/**
 * The data model after a commit. A page that is being closed can send only little data. It omits the members that did
 * not change in any write that may have arrived, and sends suspend data as changes.
 * @returns `isWhole`: false if none of the changes applies, so that suspend data stays unchanged
 * @throws {ProblemError} `content-too-large`
 */
export function mergeCmi(unit: UnitState | null, commit: CmiCommit): { cmi: Cmi; isWhole: boolean } {
  if (!commit.isChange) return { cmi: commit.cmi, isWhole: true };
  const stored = cmiOf(unit);
  if (Object.keys(stored).length + Object.keys(commit.cmi).length > MAX_NAMES) {
    throw new ProblemError('content-too-large', `Changes need a data model of at most ${MAX_NAMES} members`);
  }
  const cmi = { ...stored, ...commit.cmi };
  if (hasMoreMembers(cmi, MAX_MEMBERS)) {
    throw new ProblemError('content-too-large', `A data model has at most ${MAX_MEMBERS} members and items`);
  }
  if (commit.splices === undefined) return { cmi, isWhole: true };
  const before = exactTextIn(stored, 'suspend_data');
  const digest = textDigest(before);
  const splice = commit.splices.find(({ of, start, end }) => of === digest && start + end <= before.length);
  if (splice === undefined) return { cmi, isWhole: false };
  const { start, end, text } = splice;
  const after = before.slice(0, start) + text + before.slice(before.length - end);
  return { cmi: { ...cmi, suspend_data: after }, isWhole: true };
}

/** The stored data model of a unit; empty before the first write. */
export function cmiOf(unit: UnitState | null): Cmi {
  const cmi = (unit?.data as { cmi?: unknown } | null | undefined)?.cmi;
  return isObject(cmi) ? cmi : {};
}

/**
 * Whether the last visit of a unit is to be continued: it was suspended, or never ended, for example because the browser
 * crashed. The data of AICC has the same members; that of other standards has none of them.
 */
export function isLeftOpen(unit: UnitState | null): boolean {
  const { terminated } = endOf(unit);
  const cmi = cmiOf(unit);
  return terminated === false || [cmi, part(cmi, 'core')].some((each) => textIn(each, 'exit') === 'suspend');
}

/** Whether the last visit of a unit ended; false before the first write. */
export function hasTerminated(unit: UnitState | null): boolean {
  return endOf(unit).terminated === true;
}

function endOf(unit: UnitState | null): { terminated?: unknown } {
  return (unit?.data ?? {}) as { terminated?: unknown };
}

/** A member that is an object; empty if it is not an object. */
export function part(cmi: Cmi, name: string): Cmi {
  const value = Object.hasOwn(cmi, name) ? cmi[name] : undefined;
  return isObject(value) ? value : {};
}

/** A member as text, exactly as the course reported it; empty if it is neither text nor a number. */
export function exactTextIn(cmi: Cmi, name: string): string {
  const value = Object.hasOwn(cmi, name) ? cmi[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A member as text, without white space at its ends. */
export function textIn(cmi: Cmi, name: string): string {
  return exactTextIn(cmi, name).trim();
}

/** A member as a number; null if it is not a number. */
export function numberIn(cmi: Cmi, name: string): number | null {
  const text = textIn(cmi, name);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? null : number;
}

/**
 * A raw score from 0 to 100: its share of the range, or unchanged if the range is invalid. Null without a score, or if
 * the numbers are too large to calculate with.
 */
export function scoreOf(score: Cmi): number | null {
  const raw = numberIn(score, 'raw');
  return raw === null ? null : scoreInRange(raw, numberIn(score, 'min'), numberIn(score, 'max'));
}
