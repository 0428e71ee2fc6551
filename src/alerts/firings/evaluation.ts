import { randomUUID } from 'node:crypto';
import { type Database, DatabaseUnavailableError, type Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import type { Intervention } from '../../webhooks/health/webhook-troubles.ts';
import { type Firing, NOTICE_GROUP_MS, type Trouble } from '../firing.ts';
import {
  type NoticeContent,
  type NoticeKind,
  noticeContent,
  type ReportedFiring,
} from '../notices/notice.ts';
import { insertNotices, readLatestNoticeAt } from '../notices/notice-store.ts';
import { type AlertRule, channelsOf } from '../rules/alert-rule.ts';
import { lockRule } from '../rules/alert-store.ts';
import { isQuietAt, isTimeZone } from '../rules/quiet-hours.ts';
import { changesOf, type FiringChanges, isNothing, type Observed, overOf } from './firing-changes.ts';
import {
  endFirings,
  insertFirings,
  markSilent,
  readEndsByPeople,
  readOpenFirings,
  readUnreportedEnds,
  reportFirings,
  setCleared,
} from './firing-store.ts';
import { isUnchanged, type KnownFirings, readKnownFirings } from './known-firings.ts';
import { noteEvaluation, readLastEvaluation } from './last-evaluation.ts';
import { type EndsByPeople, TroubleFinder, type TroubleSources } from './trouble-finder.ts';

/** A snapshot is used for this long. After that, the next rule of the round reads a new one. */
const SNAPSHOT_MS = 10_000;
/** The result of an older snapshot is not stored: the instance was frozen, and the next round reads a new one. */
const OUTDATED_MS = MINUTE_MS;
/** How often it is recorded that dead letters were looked for. */
const NOTE_MS = MINUTE_MS;
/** Number of alerts that a notice describes. The others are counted. */
const MAX_DESCRIBED = 20;
/** Maximum number of replies that a notice refers to. */
const MAX_REPLIES = 10;

/** Dependencies of {@link Evaluation}. */
export interface EvaluationDependencies {
  database: Database;
  troubles: TroubleSources;
  /** Actions of people after which webhooks are no longer in trouble. */
  interventions: (webhookIds: readonly number[]) => Promise<Map<number, Intervention>>;
  /** The explanation of the last failure by the webhook's target. */
  explanationOf: (webhookId: number) => Promise<string | null>;
  /** Called when notices were created. */
  onNotices: () => void;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  now: () => number;
}

/** The firings and problems of all rules, as an evaluation has read them. */
interface Snapshot {
  /** The time at which it was read, in epoch milliseconds. */
  at: number;
  /** When instances last looked for dead letters before; null if it is unknown. */
  last: number | null;
  /** Read before the problems, so that a change of another instance that knew more is noticed. */
  firingsOf: (ruleId: number) => KnownFirings;
  troubles: TroubleFinder;
}

/** What an evaluation has found about a rule. */
interface Findings {
  /** As they were read before the lock. */
  firings: KnownFirings;
  observed: Observed;
}

/**
 * Compares the watched state with the recorded one: begins and ends alerts, and creates their notices in the same
 * transaction. Any number of instances may do it at a time, because the row of the rule is locked. An instance changes
 * nothing if another one has changed the alerts of the rule since it read them.
 */
export class Evaluation {
  readonly #with: EvaluationDependencies;
  /** The rules whose time zones the log has reported as unknown, each with that time zone. */
  readonly #unknownZones = new Map<number, string>();

  constructor(dependencies: EvaluationDependencies) {
    this.#with = dependencies;
  }

  /**
   * Evaluates rules. A failing rule does not stop the others, even if the database rejected it: the cause may concern its
   * rows alone (a lock, a damaged index).
   * @throws {DatabaseUnavailableError} if the database fails for two rules in a row, or for the only one
   */
  async run(rules: readonly AlertRule[], signal: AbortSignal): Promise<void> {
    const seeksDeadLetters = rules.some(isAboutDeadLetters);
    let snapshot: Snapshot | null = null;
    let first: Snapshot | null = null;
    let hasSeenAll = seeksDeadLetters;
    let hasFailedBefore = rules.length === 1;
    for (const rule of rules) {
      if (signal.aborted) return;
      if (snapshot === null || !isWithin(SNAPSHOT_MS, snapshot.at, this.#with.now()))
        snapshot = await this.#readSnapshot(seeksDeadLetters);
      first ??= snapshot;
      this.#reportUnknownZone(rule);
      try {
        const isStored = await this.#evaluate(rule, snapshot);
        if (!isStored && isAboutDeadLetters(rule)) hasSeenAll = false;
        hasFailedBefore = false;
      } catch (error) {
        if (isAboutDeadLetters(rule)) hasSeenAll = false;
        const isUnavailable = error instanceof DatabaseUnavailableError;
        if (isUnavailable && hasFailedBefore) throw error;
        hasFailedBefore = isUnavailable;
        const fields = { alert_id: rule.id, alert: rule.name, error };
        this.#with.log.error('an alert rule could not be evaluated: retrying', fields);
      }
    }
    if (hasSeenAll && first !== null) await this.#note(first);
  }

  /** Records that dead letters were looked for. After a crash, the next evaluation looks for a few more of them. */
  async #note({ at, last }: Snapshot): Promise<void> {
    if (last !== null && isWithin(NOTE_MS, last, at)) return;
    await this.#with.database.transaction((tx) => noteEvaluation(tx, at), { durability: 'deferred' });
  }

  /** Logs once that the quiet hours of a rule are ignored. */
  #reportUnknownZone({ id, name, quietHours }: AlertRule): void {
    const zone = quietHours?.timeZone;
    if (zone === undefined || this.#unknownZones.get(id) === zone || isTimeZone(zone)) return;
    this.#unknownZones.set(id, zone);
    this.#with.log.warn('quiet hours are ignored: this Node.js does not know their time zone', {
      alert_id: id,
      alert: name,
      time_zone: zone,
    });
  }

  async #readSnapshot(seeksDeadLetters: boolean): Promise<Snapshot> {
    const { database, troubles } = this.#with;
    const last = seeksDeadLetters ? await readLastEvaluation(database.reader) : null;
    const now = this.#with.now();
    const endsByPeople: EndsByPeople = (ruleId, since) =>
      readEndsByPeople(database.reader, ruleId, { since, now });
    const firingsOf = await readKnownFirings(database.reader);
    return { at: now, last, firingsOf, troubles: new TroubleFinder(troubles, endsByPeople, { now, last }) };
  }

  /** Returns false if it leaves the rule to the next round. */
  async #evaluate(rule: AlertRule, snapshot: Snapshot): Promise<boolean> {
    const findings = await this.#examine(rule, snapshot);
    if (findings === null) return true;
    return await this.#with.database.transaction((tx) => this.#store(tx, rule, snapshot.at, findings));
  }

  /** Reads what changes for a rule, without a lock. Returns null if there is nothing to store or to report. */
  async #examine(rule: AlertRule, snapshot: Snapshot): Promise<Findings | null> {
    const { database, interventions, now } = this.#with;
    const firings = snapshot.firingsOf(rule.id);
    const { open } = firings;
    const troubles = await snapshot.troubles.of(rule, open);
    const unreportedEnds = await readUnreportedEnds(database.reader, rule.id);
    if (troubles.length + open.length + unreportedEnds.length === 0) return null;

    const over = overOf(open, troubles);
    const observed = {
      open,
      troubles,
      silent: await snapshot.troubles.silentOf(rule),
      interventions: await interventions(over.flatMap(({ webhookId }) => webhookId ?? [])),
    };
    const changes = changesOf(observed, now());
    const isQuiet = isQuietAt(rule.quietHours, now());
    const unreportedBegins = isQuiet ? [] : open.filter(({ beginBatch }) => beginBatch === null);
    const reportsNothing = isQuiet || unreportedBegins.length + unreportedEnds.length === 0;
    if (isNothing(changes) && reportsNothing) return null;
    const announced = new Set([...changes.begun, ...unreportedBegins].map(({ subject }) => subject));
    return { firings, observed: { ...observed, troubles: await this.#explained(troubles, announced) } };
  }

  /** Stores what changes for a rule, and creates the notices. Returns false if the findings no longer hold. */
  async #store(
    tx: Transaction,
    rule: AlertRule,
    readAt: number,
    { firings, observed }: Findings,
  ): Promise<boolean> {
    const current = await lockRule(tx, rule.id);
    // The next round evaluates the changed rule.
    if (current?.revision !== rule.revision) return false;
    const firingsNow = await readKnownFirings(tx, rule.id);
    if (!isUnchanged(firings, firingsNow(rule.id))) return false;
    const now = this.#with.now();
    if (!isWithin(OUTDATED_MS, readAt, now)) {
      const fields = { alert_id: rule.id, alert: rule.name, seconds: Math.round((now - readAt) / SECOND_MS) };
      tx.onCommit(() =>
        this.#with.log.warn('an alert rule waits for the next round: its evaluation took too long', fields),
      );
      return false;
    }
    const changes = changesOf(observed, now);
    await this.#begin(tx, rule, changes.begun, now);
    await this.#advance(tx, rule, changes, now);
    if (!isQuietAt(rule.quietHours, now)) await this.#report(tx, rule, observed.troubles, now);
    return true;
  }

  async #begin(tx: Transaction, rule: AlertRule, troubles: readonly Trouble[], now: number): Promise<void> {
    if (troubles.length === 0) return;
    await insertFirings(tx, rule, troubles, now);
    tx.onCommit(() =>
      this.#with.log.warn('an alert began', {
        alert_id: rule.id,
        alert: rule.name,
        condition: rule.condition,
        count: troubles.length,
        subjects: namesOf(troubles),
      }),
    );
  }

  /** Clears, continues and ends open firings, with one statement for all of a kind: there may be thousands. */
  async #advance(
    tx: Transaction,
    rule: AlertRule,
    { back, cleared, ended }: FiringChanges,
    now: number,
  ): Promise<void> {
    if (back.length > 0) await setCleared(tx, idsOf(back), null);
    if (cleared.length > 0) await setCleared(tx, idsOf(cleared), now);
    for (const [reason, firings] of ended) {
      const isSilent = reason === 'NO_LONGER_REPORTED';
      if (isSilent) await markSilent(tx, firings);
      await endFirings(tx, idsOf(firings), isSilent ? 'RESOLVED' : reason, now);
      tx.onCommit(() =>
        this.#with.log.info('an alert ended', {
          alert_id: rule.id,
          alert: rule.name,
          reason,
          count: firings.length,
          subjects: namesOf(firings),
        }),
      );
    }
  }

  /** Creates the notices that are due. Alerts that have already ended again are not reported. */
  async #report(tx: Transaction, rule: AlertRule, troubles: readonly Trouble[], now: number): Promise<void> {
    const bySubject = new Map(troubles.map((trouble) => [trouble.subject, trouble]));
    const began = (await readOpenFirings(tx, rule.id))
      .filter(({ beginBatch, clearedAt }) => beginBatch === null && clearedAt === null)
      .map((firing) => ({ firing, trouble: bySubject.get(firing.subject) }));
    const ended = (await readUnreportedEnds(tx, rule.id)).map((firing) => ({ firing, trouble: undefined }));
    for (const [kind, column, due] of [
      ['BEGAN', 'begin_batch', began],
      ['ENDED', 'end_batch', ended],
    ] as const) {
      if (due.length === 0) continue;
      const latest = await readLatestNoticeAt(tx, rule.id, kind);
      if (latest !== null && isWithin(NOTICE_GROUP_MS, latest, now)) continue;
      const batch = randomUUID();
      const ids = due.map(({ firing }) => firing.id);
      await reportFirings(tx, ids, column, batch);
      const content = contentOf(kind, rule, due);
      const unsent = { createdAt: now, dueAt: now, attempts: 0, sentAt: null, error: null };
      await insertNotices(
        tx,
        channelsOf(rule).map((channel) => ({ ruleId: rule.id, batch, content, channel, ...unsent })),
      );
      tx.onCommit(this.#with.onNotices);
    }
  }

  /** The problems, with what targets said about those that a notice may describe. */
  async #explained(troubles: readonly Trouble[], announced: ReadonlySet<string>): Promise<Trouble[]> {
    const explained: Trouble[] = [];
    let left = MAX_DESCRIBED;
    for (const trouble of troubles) {
      const { subject, webhookId, details } = trouble;
      if (!announced.has(subject) || webhookId === null || details.reason === null || left === 0) {
        explained.push(trouble);
        continue;
      }
      left -= 1;
      const explanation = await this.#with.explanationOf(webhookId);
      explained.push({ ...trouble, details: { ...details, explanation } });
    }
    return explained;
  }
}

function isAboutDeadLetters({ condition }: AlertRule): boolean {
  return condition === 'MESSAGE_DEAD_LETTERED';
}

function idsOf(firings: readonly Firing[]): number[] {
  return firings.map(({ id }) => id);
}

/** The names of the first ones, for the log. */
function namesOf(subjects: readonly { name: string }[]): string[] {
  return subjects.slice(0, MAX_DESCRIBED).map(({ name }) => name);
}

/** Whether a moment was less than `ms` ago. One in the future was not: the clock was set back. */
function isWithin(ms: number, moment: number, now: number): boolean {
  return moment <= now && now - moment < ms;
}

function contentOf(
  kind: NoticeKind,
  rule: AlertRule,
  reported: readonly { firing: Firing; trouble: Trouble | undefined }[],
): NoticeContent {
  const batches = reported.map(({ firing }) => firing.beginBatch).filter((batch) => batch !== null);
  return noticeContent(kind, rule, {
    firings: reported.slice(0, MAX_DESCRIBED).map(({ firing, trouble }) => toReported(firing, trouble)),
    total: reported.length,
    repliesTo: kind === 'ENDED' ? [...new Set(batches)].slice(0, MAX_REPLIES) : [],
  });
}

/** A firing as a notice describes it: with what is known now, or else with what was known when it began. */
function toReported(firing: Firing, trouble: Trouble | undefined): ReportedFiring {
  return {
    subject: firing.subject,
    name: trouble?.name ?? firing.name,
    webhookId: firing.webhookId,
    since: firing.since,
    endedAt: firing.endedAt,
    endReason: firing.endReason,
    details: trouble?.details ?? firing.details,
  };
}
