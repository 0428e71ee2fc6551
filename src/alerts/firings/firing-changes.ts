import { MINUTE_MS } from '../../time/units.ts';
import type { Intervention } from '../../webhooks/health/webhook-troubles.ts';
import type { EndReason, Firing, Trouble } from '../firing.ts';

/** An alert ends once its problem has been over for this time. If it comes back earlier, nothing is sent. */
export const END_AFTER_MS = 5 * MINUTE_MS;

/** What decides which firings of a rule begin and end. */
export interface Observed {
  /** The firings that have not ended. */
  open: readonly Firing[];
  /** The webhooks or parts of the service that have a problem. */
  troubles: readonly Trouble[];
  /** The subjects of which nobody knows, because their instances have fallen silent. */
  silent: ReadonlySet<string>;
  /** The actions of people on webhooks whose problems are over. */
  interventions: ReadonlyMap<number, Intervention>;
}

/** Changes to the firings of a rule. */
export interface FiringChanges {
  /** New problems, for which a firing begins. */
  begun: readonly Trouble[];
  /** Open firings whose problems have returned. */
  back: readonly Firing[];
  /** Open firings whose problems have ended, but might return soon. */
  cleared: readonly Firing[];
  ended: readonly (readonly [EndReason, readonly Firing[]])[];
}

/** The changes that are due. */
export function changesOf({ open, troubles, silent, interventions }: Observed, now: number): FiringChanges {
  const over = overOf(open, troubles);
  const endOf = ({ webhookId, subject, clearedAt }: Firing): EndReason | null => {
    const intervention = interventions.get(webhookId ?? 0);
    if (intervention !== undefined) return intervention;
    if (clearedAt === null || now - clearedAt < END_AFTER_MS) return null;
    return silent.has(subject) ? 'NO_LONGER_REPORTED' : 'RESOLVED';
  };
  const byEnd = Map.groupBy(over, endOf);
  const lasting = byEnd.get(null) ?? [];
  const known = subjectsOf(open);
  const troubled = subjectsOf(troubles);
  return {
    begun: troubles.filter(({ subject, begins }) => begins && !known.has(subject)),
    back: open.filter(({ subject, clearedAt }) => troubled.has(subject) && clearedAt !== null),
    // One that was cleared in the future was so before the clock was set back.
    cleared: lasting.filter(({ clearedAt }) => clearedAt === null || clearedAt > now),
    ended: [...byEnd].filter((group): group is [EndReason, Firing[]] => group[0] !== null),
  };
}

/** Whether nothing is to be changed. */
export function isNothing({ begun, back, cleared, ended }: FiringChanges): boolean {
  return begun.length + back.length + cleared.length + ended.length === 0;
}

/** The open firings whose subjects have no problem now. */
export function overOf(open: readonly Firing[], troubles: readonly Trouble[]): Firing[] {
  const troubled = subjectsOf(troubles);
  return open.filter(({ subject }) => !troubled.has(subject));
}

function subjectsOf(all: readonly { subject: string }[]): ReadonlySet<string> {
  return new Set(all.map(({ subject }) => subject));
}
