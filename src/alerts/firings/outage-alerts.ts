import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { ServiceTrouble, Trouble } from '../firing.ts';
import type { RefusedAddresses } from '../notices/mailer.ts';
import { type NoticeContent, noticeContent } from '../notices/notice.ts';
import type { NoticeSender } from '../notices/notice-sender.ts';
import { insertNotices } from '../notices/notice-store.ts';
import { type AlertRule, type Channel, channelsOf, missingChannelsOf } from '../rules/alert-rule.ts';
import { lockRule } from '../rules/alert-store.ts';
import { isQuietAt } from '../rules/quiet-hours.ts';
import { END_AFTER_MS } from './firing-changes.ts';
import { insertFirings, reopenSubject, reportSubject } from './firing-store.ts';
import { stopNotices } from './stop-notices.ts';
import { toServiceTrouble } from './trouble-finder.ts';

/** The pause between attempts over a channel. */
const RETRY_MS = MINUTE_MS;

/** A notice that is sent without being stored. Times are in epoch milliseconds. */
interface Announcement {
  rule: AlertRule;
  trouble: Trouble;
  batch: string;
  content: NoticeContent;
  createdAt: number;
  channels: Map<Channel, ChannelState>;
}

/** What was sent over a channel. */
interface ChannelState {
  /** Set if it was sent to some addresses, and has to be sent again to others. */
  left: RefusedAddresses | undefined;
  attempts: number;
  nextAt: number;
  sentAt: number | null;
  error: string | null;
}

/** A notice that was recorded once the database worked again. Times are in epoch milliseconds. */
interface Recorded {
  rule: AlertRule;
  recordedAt: number;
  /** The problem that returned before the alert ended, and is not yet recorded. */
  relapse: Trouble | null;
}

/** Dependencies of {@link OutageAlerts}. */
export interface OutageAlertsDependencies {
  database: Database;
  sender: Pick<NoticeSender, 'send'>;
  now: () => number;
}

/**
 * Sends the alert that the database is failing, from the rules that were read last. Nothing can be shared in the
 * meantime, so each instance that has lost the database sends its own. Once the database works, the alert is recorded,
 * and ends like any other. If the database fails again before that, the alert continues, and nothing is sent unless
 * this lasts.
 */
export class OutageAlerts {
  readonly #with: OutageAlertsDependencies;
  readonly #announced = new Map<number, Announcement>();
  readonly #recorded = new Map<number, Recorded>();

  constructor(dependencies: OutageAlertsDependencies) {
    this.#with = dependencies;
  }

  /** Sends what is due. Never rejects. @param rules those that were read last */
  async announce(rules: readonly AlertRule[], failing: ServiceTrouble, signal: AbortSignal): Promise<void> {
    const now = this.#with.now();
    for (const rule of rules) {
      if (rule.condition !== 'SERVICE_IN_TROUBLE' || this.#announced.has(rule.id)) continue;
      const trouble = toServiceTrouble(failing, rule, now);
      if (this.#relapses(rule, trouble)) continue;
      if (!trouble.begins || isQuietAt(rule.quietHours, now)) continue;
      this.#announced.set(rule.id, announcementOf(rule, trouble, now));
    }
    const sending = [...this.#announced.values()].flatMap((announcement) =>
      [...announcement.channels.keys()].map((channel) => this.#send(announcement, channel, signal)),
    );
    await Promise.all(sending);
  }

  /** Records what was sent during the outage, and what came back. @throws {DatabaseUnavailableError} */
  async record(): Promise<void> {
    const { database, now } = this.#with;
    for (const [ruleId, announcement] of this.#announced) {
      await database.transaction((tx) => this.#write(tx, announcement));
      this.#announced.delete(ruleId);
      this.#recorded.set(ruleId, { rule: announcement.rule, recordedAt: now(), relapse: null });
    }
    for (const [ruleId, { rule, recordedAt, relapse }] of this.#recorded) {
      if (relapse !== null) {
        await database.transaction((tx) => reopenSubject(tx, ruleId, relapse.subject));
        this.#recorded.set(ruleId, { rule, recordedAt: now(), relapse: null });
      } else if (now() - recordedAt >= END_AFTER_MS) this.#recorded.delete(ruleId);
    }
  }

  /**
   * Whether a problem continues an alert that was recorded and that has not ended yet. An instance that reaches the
   * database ends it after a while and sends a notice. A problem that still lasts is then announced again. In quiet
   * hours neither notice is sent, so the alert continues until they are over.
   */
  #relapses(rule: AlertRule, trouble: Trouble): boolean {
    const recorded = this.#recorded.get(rule.id);
    if (recorded === undefined) return false;
    const { recordedAt } = recorded;
    const now = this.#with.now();
    const mayBeAnnounced = trouble.begins && !isQuietAt(rule.quietHours, now);
    const mayHaveEnded = mayBeAnnounced && now - recordedAt >= END_AFTER_MS;
    if (
      mayHaveEnded ||
      recorded.rule.revision !== rule.revision ||
      trouble.since - recordedAt >= END_AFTER_MS
    ) {
      this.#recorded.delete(rule.id);
      return false;
    }
    recorded.relapse = trouble;
    return true;
  }

  async #send(announcement: Announcement, channel: Channel, signal: AbortSignal): Promise<void> {
    const state = announcement.channels.get(channel);
    const now = this.#with.now();
    if (state === undefined || isDone(state) || now < state.nextAt) return;
    if (isQuietAt(announcement.rule.quietHours, now)) return;
    const { rule, batch, content, createdAt } = announcement;
    const notice = { batch, createdAt, content: contentFor(state, content) };
    const { sent, error, left } = await this.#with.sender.send(rule, channel, notice, signal);
    announcement.channels.set(channel, {
      left: sent ? left : state.left,
      attempts: state.attempts + 1,
      nextAt: now + RETRY_MS,
      sentAt: state.sentAt ?? (sent ? this.#with.now() : null),
      error,
    });
  }

  async #write(
    tx: Transaction,
    { rule, trouble, batch, content, createdAt, channels }: Announcement,
  ): Promise<void> {
    const current = await lockRule(tx, rule.id);
    // Nobody evaluates a disabled rule, so its alert would never end.
    if (current === undefined || !current.enabled) return;
    await reopenSubject(tx, rule.id, trouble.subject);
    await insertFirings(tx, rule, [trouble], createdAt);
    await reportSubject(tx, rule.id, trouble.subject, batch);
    await insertNotices(
      tx,
      Array.from(channels, ([channel, state]) => ({
        ruleId: rule.id,
        batch,
        content: contentFor(state, content),
        channel,
        createdAt,
        attempts: state.attempts,
        // If it could not be sent, it is retried like any other notice.
        dueAt: isDone(state) ? null : createdAt,
        sentAt: state.sentAt,
        error: state.error,
      })),
    );
    // The rule may have lost a channel since it was read.
    await stopNotices(tx, rule.id, missingChannelsOf(current));
  }
}

function isDone({ sentAt, left }: ChannelState): boolean {
  return sentAt !== null && left === undefined;
}

function contentFor({ left }: ChannelState, content: NoticeContent): NoticeContent {
  return { ...content, ...left };
}

function announcementOf(rule: AlertRule, trouble: Trouble, now: number): Announcement {
  const firings = [{ ...trouble, endedAt: null, endReason: null }];
  const content = noticeContent('BEGAN', rule, { firings, total: 1 });
  const unsent = { left: undefined, attempts: 0, nextAt: now, sentAt: null, error: null };
  return {
    rule,
    trouble,
    batch: randomUUID(),
    content,
    createdAt: now,
    channels: new Map(channelsOf(rule).map((channel) => [channel, unsent])),
  };
}
