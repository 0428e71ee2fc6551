import { SET_BACK_MS } from '../../time/set-back.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { TroubledWebhook, WebhookTroubles } from '../../webhooks/health/webhook-troubles.ts';
import type { Firing, ServiceReports, ServiceTrouble, Trouble } from '../firing.ts';
import type { AlertRule, QuietHours } from '../rules/alert-rule.ts';
import { quietSince } from '../rules/quiet-hours.ts';

/**
 * A dead letter counts as a problem for this time, or until quiet hours have ended, unless it is redelivered. One that
 * was found late counts for this time since then.
 */
const DEAD_LETTER_MS = HOUR_MS;
/** A dead letter is visible so much later than its time at the latest. */
const LATE_COMMIT_MS = MINUTE_MS;

/** The sources in which problems are found. */
export interface TroubleSources {
  webhooks: Pick<WebhookTroubles, 'failing' | 'waiting' | 'deadLetteredSince' | 'deadLetteredAfter'>;
  /** What all instances report about the service. */
  readServiceReports: () => Promise<ServiceReports>;
}

/** When alerts of a rule ended since a time because of what someone did to the webhook, by webhook id. */
export type EndsByPeople = (ruleId: number, since: number) => Promise<ReadonlyMap<number, number>>;

/** When problems are looked for, and when dead letters were before, in epoch milliseconds. */
export interface EvaluationTimes {
  now: number;
  /** Null if it is unknown. */
  last: number | null;
}

/** A firing of a rule that has not ended, as far as it decides which dead letters count. */
type OpenFiring = Pick<Firing, 'subject' | 'since' | 'beganAt' | 'beginBatch'>;

/**
 * The problems at a given time. Many rules can watch the same, so each source is read at most once.
 */
export class TroubleFinder {
  readonly #sources: TroubleSources;
  readonly #endsByPeople: EndsByPeople;
  readonly #now: number;
  readonly #last: number | null;
  readonly #found = new Map<string, Promise<TroubledWebhook[]>>();
  #service: Promise<ServiceReports> | null = null;

  constructor(sources: TroubleSources, endsByPeople: EndsByPeople, { now, last }: EvaluationTimes) {
    this.#sources = sources;
    this.#endsByPeople = endsByPeople;
    this.#now = now;
    this.#last = last;
  }

  /**
   * The subjects of a rule that have a problem now, oldest first.
   * @param open the firings of the rule that have not ended
   */
  async of(rule: AlertRule, open: readonly OpenFiring[]): Promise<Trouble[]> {
    const known = new Map(open.map(({ subject, since }) => [subject, since]));
    const troubles =
      rule.condition === 'SERVICE_IN_TROUBLE'
        ? (await this.#serviceReports()).failing.map((trouble) => toServiceTrouble(trouble, rule, this.#now))
        : (await this.#webhooksOf(rule, open)).map((webhook) => toTrouble(webhook, rule, this.#now));
    return (
      troubles
        // A line always has messages while it is used, so only old ones count. One that was too old when the alert
        // began still is, even if the clock was set back.
        .filter(
          ({ begins, subject, since }) =>
            begins || rule.condition !== 'LINE_TOO_OLD' || known.get(subject) === since,
        )
        .sort((one, other) => one.since - other.since)
    );
  }

  /** The subjects of a rule whose instances have fallen silent: nobody knows whether their problems are over. */
  async silentOf({ condition }: Pick<AlertRule, 'condition'>): Promise<ReadonlySet<string>> {
    if (condition !== 'SERVICE_IN_TROUBLE') return new Set();
    return new Set((await this.#serviceReports()).silent.map(subjectOf));
  }

  async #webhooksOf(rule: AlertRule, open: readonly OpenFiring[]): Promise<TroubledWebhook[]> {
    const { id: ruleId, condition, webhookIds } = rule;
    const { webhooks } = this.#sources;
    const now = this.#now;
    const watched = webhookIds === null ? null : new Set(webhookIds);
    const deadSince = this.#firstDeadLetterAt(rule, open);
    const found =
      condition === 'WEBHOOK_IN_ERROR'
        ? await this.#once('failing', () => webhooks.failing(now))
        : condition === 'LINE_TOO_OLD'
          ? await this.#once('waiting', () => webhooks.waiting())
          : await this.#once(`dead ${deadSince}`, () => webhooks.deadLetteredSince(deadSince));
    const ofRule = watched === null ? found : found.filter(({ id }) => watched.has(id));
    if (condition !== 'MESSAGE_DEAD_LETTERED' || ofRule.length === 0) return ofRule;
    // Someone who paused a webhook because of its dead letters has seen them.
    return await webhooks.deadLetteredAfter(ofRule, await this.#endsByPeople(ruleId, deadSince));
  }

  /** Dead letters count from this time. */
  #firstDeadLetterAt({ activeSince, quietHours }: AlertRule, open: readonly OpenFiring[]): number {
    const now = this.#now;
    // Without an evaluation for a while, such as while the service is stopped, nobody has seen those of that time.
    const unseen = this.#last === null ? [] : [this.#last - LATE_COMMIT_MS];
    const seenLate = open.filter(
      ({ beginBatch, beganAt }) => beginBatch === null || (beganAt <= now && now - beganAt < DEAD_LETTER_MS),
    );
    const first = Math.min(
      firstDeadLetterOf(quietHours, now),
      ...unseen,
      ...seenLate.map(({ since }) => since),
    );
    // A rule that was enabled in the future was so before the clock was set back.
    return activeSince > now + SET_BACK_MS ? first : Math.max(activeSince, first);
  }

  #once(key: string, read: () => Promise<TroubledWebhook[]>): Promise<TroubledWebhook[]> {
    const found = this.#found.get(key) ?? read();
    this.#found.set(key, found);
    return found;
  }

  #serviceReports(): Promise<ServiceReports> {
    this.#service ??= this.#sources.readServiceReports();
    return this.#service;
  }
}

/** Dead letters count from this time. Those of quiet hours count until the rule may notify someone of them. */
function firstDeadLetterOf(quiet: QuietHours | null, now: number): number {
  const first = now - DEAD_LETTER_MS;
  return Math.min(first, quietSince(quiet, now) ?? quietSince(quiet, first) ?? first);
}

function toTrouble(
  { id, name, since, inError, reason, failures, waiting }: TroubledWebhook,
  rule: AlertRule,
  now: number,
): Trouble {
  // A line can be old although its webhook works: another reason than that of an earlier failure.
  const isFailing = failures > 0 || rule.condition === 'MESSAGE_DEAD_LETTERED';
  // An edit ends the error state, but it is not known yet whether the problem is over.
  const counts = inError || rule.condition !== 'WEBHOOK_IN_ERROR';
  // Messages get timestamps in the future until a clock that was set back has caught up: not a sign of a problem.
  const lasts =
    rule.condition === 'LINE_TOO_OLD' ? hasLasted(since, rule, now) : mayHaveLasted(since, rule, now);
  return {
    subject: `webhook:${id}`,
    name,
    webhookId: id,
    since,
    begins: counts && lasts,
    details: { reason: isFailing ? reason : null, explanation: null, failures, waiting },
  };
}

function subjectOf({ name, hostName }: ServiceTrouble): string {
  return `${name}:${hostName}`;
}

/** A check that fails on an instance, as a problem. */
export function toServiceTrouble(
  trouble: ServiceTrouble,
  rule: Pick<AlertRule, 'minutes'>,
  now: number,
): Trouble {
  const { name, hostName, since, reason } = trouble;
  return {
    subject: subjectOf(trouble),
    name: `${PARTS[name] ?? name} on ${hostName}`,
    webhookId: null,
    since,
    begins: mayHaveLasted(since, rule, now),
    details: { reason, explanation: null, failures: 0, waiting: 0 },
  };
}

/** The part of the service that a problem is about, without the host: `A disk`. */
export function partOfService({ subject }: Pick<Trouble, 'subject'>): string {
  const [name = ''] = subject.split(':', 1);
  return PARTS[name] ?? name;
}

function hasLasted(since: number, { minutes }: Pick<AlertRule, 'minutes'>, now: number): boolean {
  return since <= now - (minutes ?? 0) * MINUTE_MS;
}

/** Like {@link hasLasted}, or if the clock was set back since: an alert too early is better than one hours late. */
function mayHaveLasted(since: number, rule: Pick<AlertRule, 'minutes'>, now: number): boolean {
  return hasLasted(since, rule, now) || since > now + SET_BACK_MS;
}

/** The parts of the service, by the names of their checks. */
const PARTS: Readonly<Record<string, string>> = {
  database: 'The database',
  queue: 'The message queue',
  disk: 'A disk',
  content: 'The storage of courses',
  delivery: 'Delivery',
};
