import { type Database, DatabaseUnavailableError } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { OutageLog } from '../../observability/outage-log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import type { Channel } from '../rules/alert-rule.ts';
import { readRule } from '../rules/alert-store.ts';
import { isQuietAt } from '../rules/quiet-hours.ts';
import type { SendOutcome } from './mailer.ts';
import type { Notice } from './notice.ts';
import type { NoticeSender } from './notice-sender.ts';
import {
  endOutdatedBegins,
  finishAttempt,
  hasDueNotice,
  lockDueNotices,
  postponeNotice,
  setContent,
  startAttempt,
} from './notice-store.ts';

/** Longer than any attempt lasts. If its sender dies, a notice is sent again after this time. */
const LEASE_MS = 2 * MINUTE_MS;
const FIRST_RETRY_MS = 30 * SECOND_MS;
const MAX_RETRY_MS = 15 * MINUTE_MS;
/** No notice is due later than after this time, not even by the clock of another instance. */
const MAX_WAIT_MS = MAX_RETRY_MS + MINUTE_MS;
/** How often a notice that waits for the end of quiet hours is looked at. */
const QUIET_PAUSE_MS = MINUTE_MS;
/** A notice that could not be sent for this time is abandoned. */
const ABANDON_AFTER_MS = DAY_MS;
const NOTICES_AT_A_TIME = 8;

/** Dependencies of {@link NoticeDispatcher}. */
export interface NoticeDispatcherDependencies {
  channel: Channel;
  database: Database;
  sender: Pick<NoticeSender, 'send'>;
  /** How often it looks for notices, in milliseconds. */
  pauseMs: number;
  log: Logger;
  now: () => number;
}

/**
 * Sends the waiting notices of a channel. A notice is leased, sent, and then recorded, so after a crash in between it
 * comes twice, never zero times. Each channel has its own dispatcher, so that one that hangs does not delay the other.
 */
export class NoticeDispatcher implements AsyncDisposable {
  readonly #with: NoticeDispatcherDependencies;
  /**
   * The outages of notices that could not be sent, the latest of each rule by the id of the rule. Each rule has its own
   * receivers. Another instance may have sent a notice, so an outage says nothing about the next one.
   */
  readonly #outages = new Map<number, { noticeId: number; outage: OutageLog }>();
  readonly #task: BackgroundTask;

  constructor(dependencies: NoticeDispatcherDependencies) {
    this.#with = dependencies;
    this.#task = new BackgroundTask({
      round: async (signal) => ((await this.#round(signal)) ? 0 : undefined),
      pauseMs: dependencies.pauseMs,
      onError: (error) => {
        // An outage of the database is logged elsewhere. The notices wait.
        if (error instanceof DatabaseUnavailableError) return;
        dependencies.log.error('notices of alerts could not be processed: retrying', { error });
      },
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Looks for notices now. */
  wake(): void {
    this.#task.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /** Sends what is due, and returns whether there may be more. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { database, channel, now } = this.#with;
    const times = () => ({ now: now(), latest: now() + MAX_WAIT_MS });
    if (!(await hasDueNotice(database.reader, channel, times()))) return false;
    const notices = await database.transaction(async (tx) => {
      const due: Notice[] = [];
      for (const notice of await lockDueNotices(tx, channel, times(), NOTICES_AT_A_TIME)) {
        // One at a time: this instance sends an end and the rest of its begin in order. Another may send one of them.
        if (due.some(({ ruleId }) => ruleId === notice.ruleId)) continue;
        const rule = await readRule(tx, notice.ruleId);
        if (isQuietAt(rule?.quietHours ?? null, now()))
          await postponeNotice(tx, notice.id, now() + QUIET_PAUSE_MS);
        else {
          await startAttempt(tx, notice.id, now() + LEASE_MS);
          due.push(notice);
        }
      }
      return due;
    });
    await Promise.all(notices.map((notice) => this.#send(notice, signal)));
    // The next one of a rule may have waited for one of these.
    return notices.length > 0;
  }

  async #send(notice: Notice, signal: AbortSignal): Promise<void> {
    const { database, sender, channel, now } = this.#with;
    const rule = await readRule(database.reader, notice.ruleId);
    const outcome: SendOutcome =
      rule === undefined
        ? { sent: false, error: 'the alert rule was deleted' }
        : await sender.send(rule, channel, notice, signal);
    // Another instance sends it, or this one after its next start.
    if (signal.aborted && !outcome.sent) return;
    const { left } = outcome;
    const isDone = outcome.sent && left === undefined;
    const isAbandoned = !isDone && (rule === undefined || now() - notice.createdAt >= ABANDON_AFTER_MS);
    if (outcome.sent) this.#reportSent(notice, outcome);
    const wasDue = await database.transaction(async (tx) => {
      const isStored = await finishAttempt(tx, notice.id, {
        dueAt: isDone || isAbandoned ? null : now() + retryDelay(notice.attempts),
        sentAt: outcome.sent ? now() : null,
        failedAt: isAbandoned ? now() : null,
        error: outcome.error,
      });
      if (outcome.sent && notice.kind === 'ENDED') await endOutdatedBegins(tx, notice);
      if (left !== undefined) await setContent(tx, notice.id, { ...notice.content, ...left });
      return isStored;
    });
    if (!outcome.sent || (isAbandoned && wasDue))
      this.#reportUnsent(notice, outcome, { isAbandoned, wasDue });
  }

  #reportSent({ id, ruleId, kind }: Notice, { error }: SendOutcome): void {
    const { log, channel } = this.#with;
    this.#outageOf({ id, ruleId })?.ended(`the notices of alert ${ruleId} are sent again`);
    this.#outages.delete(ruleId);
    log.info('a notice of an alert was sent', { alert_id: ruleId, channel, kind, warning: error });
  }

  /** @param state.wasDue false if someone has changed or deleted the rule during the attempt */
  #reportUnsent(
    { id, ruleId, sentAt, kind }: Notice,
    { sent, error }: SendOutcome,
    { isAbandoned, wasDue }: { isAbandoned: boolean; wasDue: boolean },
  ): void {
    const { log, channel } = this.#with;
    const fields = { alert_id: ruleId, channel, reason: error };
    if (wasDue && !isAbandoned) {
      const outage = this.#outageOf({ id, ruleId }) ?? new OutageLog(log);
      this.#outages.set(ruleId, { noticeId: id, outage });
      const texts = {
        begins: 'a notice of an alert could not be sent: retrying',
        continues: 'notices of an alert still cannot be sent',
      };
      outage.failed(texts, fields);
      return;
    }
    this.#outages.delete(ruleId);
    if (!wasDue) log.info('a notice of an alert could not be sent, and no longer needs to be', fields);
    else {
      const who = sent || sentAt !== null ? 'some addresses did not accept it' : 'it could not be sent';
      log.error(`a notice of an alert is not retried any more: ${who} within 24 hours`, { ...fields, kind });
    }
  }

  /** The outage of a notice, if an attempt of this instance has failed before. */
  #outageOf({ id, ruleId }: Pick<Notice, 'id' | 'ruleId'>): OutageLog | undefined {
    const known = this.#outages.get(ruleId);
    return known?.noticeId === id ? known.outage : undefined;
  }
}

/** The delay after a failed attempt, in milliseconds. `former` attempts were made before it. */
function retryDelay(former: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** former, MAX_RETRY_MS);
}
