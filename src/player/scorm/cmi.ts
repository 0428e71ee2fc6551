import type { UnitState } from '../attempts/attempt.ts';

/** The members of a data model, as JSON. What courses put there is hostile until it was looked at. */
export type Cmi = Readonly<Record<string, unknown>>;

/** What the player page sends of a unit's data model. */
export interface CmiCommit {
  page: number;
  visit: number;
  sequence: number;
  elapsedMs: number;
  terminated: boolean;
  cmi: Cmi;
  base?: number;
  splice?: { start: number; end: number; text: string };
  state?: unknown;
}

/**
 * The data model after a commit. A page that is being closed can send little, so it leaves out the members that are as
 * in an earlier write, and sends suspend data as a change.
 */
export function mergeCmi(present: UnitState | null, commit: CmiCommit): Cmi {
  if (commit.base === undefined) return commit.cmi;
  const stored = cmiOf(present);
  const merged: Record<string, unknown> = { ...stored, ...commit.cmi };
  const { splice } = commit;
  const isBase =
    present !== null && present.position.page === commit.page && present.position.sequence === commit.base;
  const before = stored.suspend_data;
  if (
    splice !== undefined &&
    isBase &&
    typeof before === 'string' &&
    splice.start + splice.end <= before.length
  ) {
    merged.suspend_data =
      before.slice(0, splice.start) + splice.text + before.slice(before.length - splice.end);
  }
  return merged;
}

/** The data model that a unit left; empty before it left one. */
export function cmiOf(unit: UnitState | null): Cmi {
  const cmi = (unit?.data as { cmi?: unknown } | null | undefined)?.cmi;
  return isObject(cmi) ? cmi : {};
}

/** A member that is an object; empty when it is none. */
export function part(cmi: Cmi, name: string): Cmi {
  const value = Object.hasOwn(cmi, name) ? cmi[name] : undefined;
  return isObject(value) ? value : {};
}

/** A member as text, exactly as the course left it; empty when it is neither text nor a number. */
export function exactTextIn(cmi: Cmi, name: string): string {
  const value = Object.hasOwn(cmi, name) ? cmi[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The same without white space at its ends. */
export function textIn(cmi: Cmi, name: string): string {
  return exactTextIn(cmi, name).trim();
}

/** A member as a number; null when it is none. */
export function numberIn(cmi: Cmi, name: string): number | null {
  const text = textIn(cmi, name);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? null : number;
}

const MIN = 0;
const MAX = 100;

/** A raw score on the scale 0 to 100: its share of the range where there is one, else as it is, within bounds. */
export function scoreOf(score: Cmi): number | null {
  const raw = numberIn(score, 'raw');
  if (raw === null) return null;
  const min = numberIn(score, 'min') ?? MIN;
  const max = numberIn(score, 'max') ?? MAX;
  const share = max > min ? ((raw - min) / (max - min)) * MAX : raw;
  return bounded(share);
}

/** A score within the bounds that registrations have, without the noise of fractions. */
export function bounded(score: number): number {
  return Number(Math.min(MAX, Math.max(MIN, score)).toFixed(6));
}

function isObject(value: unknown): value is Cmi {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
