import { MINUTE_MS } from '../time/units.ts';
import type { Condition } from './rules/alert-rule.ts';

/** Alerts of a rule that begin (or end) within this time after a notice are reported together. */
export const NOTICE_GROUP_MS = 5 * MINUTE_MS;

/** Why an alert ended, as it is stored. RESOLVED: the problem was over. All other reasons are actions of people. */
const STORED_END_REASONS = [
  'RESOLVED',
  'PAUSED',
  'DEACTIVATED',
  'DELETED',
  'RULE_CHANGED',
  'RULE_DELETED',
] as const;
export type StoredEndReason = (typeof STORED_END_REASONS)[number];

/**
 * Why an alert ended. NO_LONGER_REPORTED: the instance that reported the problem was stopped or fell silent, so nobody
 * knows whether it is over. Stored as RESOLVED with a mark in the details, because earlier releases read it, too.
 */
export const END_REASONS = [...STORED_END_REASONS, 'NO_LONGER_REPORTED'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The details of a problem when it was detected. */
export interface TroubleDetails {
  /** The cause in a few words; null if it is unknown. */
  reason: string | null;
  /** What the target said about it; null if it said nothing. */
  explanation: string | null;
  /** Failed attempts since the last success. */
  failures: number;
  /** Messages in the line. */
  waiting: number;
  /** Set if the alert ended because the instance fell silent. */
  fellSilent?: true;
}

/** A check that fails on an instance. */
export interface ServiceTrouble {
  /** The name of the check: `queue`. */
  name: string;
  hostName: string;
  /** Epoch milliseconds. */
  since: number;
  reason: string;
}

/** What instances have reported about their checks. */
export interface ServiceReports {
  /** The checks that fail. */
  failing: readonly ServiceTrouble[];
  /** The checks that failed when their instances last reported, which was too long ago. They may still fail. */
  silent: readonly ServiceTrouble[];
}

/**
 * A webhook or part of the service that a rule watches and that currently has a problem. Times are in epoch
 * milliseconds.
 */
export interface Trouble {
  /** `webhook:12`, `disk:host-a`. */
  subject: string;
  /** The name of the webhook or of the part of the service. */
  name: string;
  webhookId: number | null;
  since: number;
  /** Whether it has lasted long enough for an alert to begin. An alert that has begun lasts as long as the problem. */
  begins: boolean;
  details: TroubleDetails;
}

/** A problem that a rule has detected. Times are in epoch milliseconds. */
export interface Firing {
  id: number;
  ruleId: number;
  ruleName: string;
  condition: Condition;
  subject: string;
  name: string;
  webhookId: number | null;
  since: number;
  beganAt: number;
  clearedAt: number | null;
  endedAt: number | null;
  endReason: StoredEndReason | null;
  relapses: number;
  details: TroubleDetails;
  beginBatch: string | null;
  endBatch: string | null;
}

/** Why an alert ended; null while it is firing. */
export function endReasonOf({ endReason, details }: Pick<Firing, 'endReason' | 'details'>): EndReason | null {
  return endReason === 'RESOLVED' && details.fellSilent === true ? 'NO_LONGER_REPORTED' : endReason;
}
