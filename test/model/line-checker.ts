import assert from 'node:assert/strict';
import { MOMENT } from '../support/moment.ts';
import { authorizationOf, discards, isText, timestampOf } from './line-rules.ts';
import type {
  Arrival,
  ConfigurationSpan,
  ExpectedGroup,
  ExpectedMessage,
  LineLog,
  ServiceLog,
} from './log.ts';
import type { WebhookConfiguration } from './webhook-model.ts';

/** The compared members of a message in the delivery history. */
export interface HistoryEntry {
  message_id: string;
  status: string;
  attempts: number;
}

/** A message that arrived, and its known attempts. */
interface SeenMessage {
  expected: ExpectedMessage;
  id: string;
  text: string;
  /** Failed attempts: the least and the greatest possible count. */
  failures: { least: number; most: number };
  attempts: { least: number; most: number };
  delivered: boolean;
  /** Whether the last failure was the last that the webhook allowed. */
  isUsedUp: { surely: boolean; maybe: boolean };
}

/** The possible outcomes of a finished message. */
type Fate = 'DELIVERED' | 'DEAD_LETTERED' | 'DISCARDED';

interface Fated {
  /** Null for a message that never arrived. */
  seen: SeenMessage | null;
  expected: ExpectedMessage;
  fates: Set<Fate>;
}

/**
 * Compares the messages that arrived for a webhook with the expected ones: byte for byte, in order, none missing, none
 * repeated except after a kill.
 */
export class LineChecker {
  readonly #log: LineLog;
  readonly #service: ServiceLog;
  readonly #seenById = new Map<string, SeenMessage>();
  /** Finished messages, in order. */
  readonly #over: Fated[] = [];
  #arrivalsRead = 0;
  #groupsRead = 0;
  /** The messages still expected: operations of the current group that have not begun, and the rest of the one that has. */
  #begun: ExpectedMessage[] = [];
  #notBegun: ExpectedGroup = [];
  #head: SeenMessage | null = null;
  #previous: Arrival | null = null;
  #lastTimestamp = '';

  constructor(log: LineLog, service: ServiceLog) {
    this.#log = log;
    this.#service = service;
  }

  /** Reads up to now, when nothing is in flight, and returns the dead letters in the order of their first attempts. */
  settle(history: readonly HistoryEntry[]): { messageId: string; text: string }[] {
    const { arrivals } = this.#log;
    for (; this.#arrivalsRead < arrivals.length; this.#arrivalsRead++)
      this.#read(arrivals[this.#arrivalsRead]!);
    this.#end();
    return this.#compare(history);
  }

  /** All dead letters of the last {@link settle} were removed, so the history lists them as discarded. */
  removeDeadLetters(): void {
    for (const { fates } of this.#over) {
      if (!fates.delete('DEAD_LETTERED')) continue;
      fates.add('DISCARDED');
    }
  }

  #read(arrival: Arrival): void {
    const previous = this.#previous;
    if (previous !== null && previous.answeredAt === null && !this.#mayBeLost(previous))
      this.#fail(arrival, 'came while another one was still being answered');
    const silence = this.#service.silences.find(({ start, end }) => start < arrival.at && arrival.at < end);
    if (silence !== undefined) this.#fail(arrival, 'came while nothing was to be delivered');
    const known = this.#seenById.get(arrival.messageId);
    if (known === undefined || this.#isSentAgain(known)) this.#readNew(arrival);
    else this.#readRepeated(arrival, known);
    this.#previous = arrival;
  }

  /** An attempt after the first. */
  #readRepeated(arrival: Arrival, seen: SeenMessage): void {
    if (arrival.text !== seen.text)
      this.#fail(arrival, `is not the text of its first attempt:\n${seen.text}`);
    const previous = this.#previous!;
    if (previous.messageId !== arrival.messageId)
      this.#fail(arrival, `was followed by ${previous.messageId} already`);
    const wasLost = this.#mayBeLost(previous);
    const isOver = this.#head === null;
    if (isOver && !wasLost) this.#fail(arrival, 'was delivered already, and nothing was killed since');
    if (wasLost) this.#forgive(seen);
    const configurations = this.#possible(seen.expected.asked.start, arrival.at);
    const isUsedUp = configurations.every((each) => this.#isUsedUp(seen.failures.least, each));
    if ((seen.isUsedUp.surely || isUsedUp) && !wasLost)
      this.#fail(arrival, `had all of its attempts: ${seen.failures.least}`);
    this.#assertTarget(arrival, seen.expected, configurations);
    seen.delivered = false;
    this.#head = seen;
    this.#count(seen, arrival, configurations);
  }

  /** The first attempt of a message: the earlier ones must be finished. */
  #readNew(arrival: Arrival): void {
    const timestamp = timestampOf(arrival.text);
    const passedOver: string[] = [];
    if (this.#head !== null) this.#endHead(arrival);
    while (true) {
      const next = this.#take((message) => isText(message, arrival, timestamp));
      if (next !== null) {
        this.#begin(arrival, next, timestamp);
        return;
      }
      const skipped = this.#take(() => true);
      if (skipped === null) {
        const wanted = passedOver.length === 0 ? 'nothing more' : passedOver.slice(0, 3).join('\nthen ');
        this.#fail(arrival, `is not what has to come, which is ${wanted}`);
      }
      passedOver.push(`${skipped.text(timestamp)} (${skipped.cause})`);
      if (!this.#mayBeDiscarded(skipped, arrival.at))
        this.#fail(arrival, `comes where this has to come first: ${passedOver.at(-1)}`);
      this.#over.push({ seen: null, expected: skipped, fates: new Set(['DISCARDED']) });
    }
  }

  #begin(arrival: Arrival, expected: ExpectedMessage, timestamp: string): void {
    if (arrival.at < expected.asked.start) this.#fail(arrival, 'came before it was caused');
    if (expected.again === null) this.#assertTimestamp(arrival, expected, timestamp);
    const configurations = this.#possible(expected.asked.start, arrival.at);
    this.#assertTarget(arrival, expected, configurations);
    const seen: SeenMessage = {
      expected,
      id: arrival.messageId,
      text: arrival.text,
      failures: { least: 0, most: 0 },
      attempts: { least: 0, most: 0 },
      delivered: false,
      isUsedUp: { surely: false, maybe: false },
    };
    const before = this.#seenById.get(arrival.messageId);
    if (before !== undefined) seen.attempts = { ...before.attempts };
    this.#seenById.set(arrival.messageId, seen);
    this.#head = seen;
    this.#count(seen, arrival, configurations);
  }

  #count(seen: SeenMessage, arrival: Arrival, configurations: readonly WebhookConfiguration[]): void {
    seen.attempts.least += 1;
    seen.attempts.most += 1;
    if (arrival.answeredAt !== null && arrival.status < 300) {
      seen.delivered = true;
      this.#over.push({ seen, expected: seen.expected, fates: new Set(['DELIVERED']) });
      this.#head = null;
      return;
    }
    if (arrival.answeredAt === null) {
      seen.attempts.least -= 1;
    } else {
      seen.failures.least += 1;
    }
    seen.failures.most += 1;
    const { failures } = seen;
    // An attempt counts once its message is received: a kill may come before its request.
    const unseen = this.#service.kills.filter(
      ({ start, end }) => end > seen.expected.asked.start && start < arrival.at,
    ).length;
    seen.isUsedUp = {
      surely: configurations.every((each) => this.#isUsedUp(failures.least, each)),
      maybe: configurations.some((each) => this.#isUsedUp(failures.most + unseen, each)),
    };
  }

  /** The last attempt may have been lost with its process. */
  #forgive(seen: SeenMessage): void {
    if (this.#previous!.answeredAt === null) return;
    seen.attempts.least -= 1;
    if (seen.delivered) this.#over.pop();
    else seen.failures.least -= 1;
  }

  /** The head is finished, since another message arrived or nothing waits any more. */
  #endHead(arrival: Arrival | null): void {
    const seen = this.#head!;
    const at = arrival?.at ?? Number.POSITIVE_INFINITY;
    const fates = new Set<Fate>();
    // The maximum may have been lowered after its last attempt.
    const lowered = this.#possible(seen.expected.asked.start, at);
    if (seen.isUsedUp.maybe || lowered.some((each) => this.#isUsedUp(seen.failures.most, each)))
      fates.add('DEAD_LETTERED');
    if (this.#log.skips.some(({ messageId }) => messageId === seen.id)) fates.add('DEAD_LETTERED');
    if (this.#mayBeDiscarded(seen.expected, at)) fates.add('DISCARDED');
    if (fates.size === 0) {
      const after = `after ${seen.failures.most} failed attempts`;
      if (arrival === null) assert.fail(`${this.#name}: ${seen.id} was dead-lettered ${after}: ${seen.text}`);
      this.#fail(arrival, `overtook ${seen.id} ${after}: ${seen.text}`);
    }
    this.#over.push({ seen, expected: seen.expected, fates });
    this.#head = null;
  }

  /** Nothing waits: every expected message has arrived or was discarded. */
  #end(): void {
    if (this.#head !== null) this.#endHead(null);
    while (true) {
      const missing = this.#take(() => true);
      if (missing === null) return;
      if (!this.#mayBeDiscarded(missing, Number.POSITIVE_INFINITY))
        assert.fail(`${this.#name}: never came (${missing.cause}): ${missing.text('…')}`);
      this.#over.push({ seen: null, expected: missing, fates: new Set(['DISCARDED']) });
    }
  }

  /** Takes the next expected message; of several operations that may be next, the one that matches. */
  #take(isWanted: (message: ExpectedMessage) => boolean): ExpectedMessage | null {
    while (this.#begun.length === 0 && this.#notBegun.length === 0) {
      const group = this.#log.expected[this.#groupsRead];
      if (group === undefined) return null;
      this.#groupsRead += 1;
      this.#notBegun = group.filter((messages) => messages.length > 0);
    }
    if (this.#begun.length > 0) return isWanted(this.#begun[0]!) ? this.#begun.shift()! : null;
    const index = this.#notBegun.findIndex(([first]) => isWanted(first!));
    if (index === -1) return null;
    const [messages] = this.#notBegun.splice(index, 1);
    const [first, ...rest] = messages!;
    this.#begun = rest;
    return first!;
  }

  /** Whether an earlier message is expected once more because of a redelivery. */
  #isSentAgain({ id }: SeenMessage): boolean {
    if (this.#head?.id === id) return false;
    const waiting = [this.#begun, ...this.#notBegun, ...this.#log.expected.slice(this.#groupsRead).flat()];
    return waiting.some((messages) => messages.some(({ again }) => again?.messageId === id));
  }

  /** The possible configurations of the webhook when a message that arrived at a tick was received. */
  #possible(asked: number, arrived: number): WebhookConfiguration[] {
    return this.#spans(Math.max(asked, this.#answerBefore(arrived)), arrived)
      .filter(({ deleted }) => !deleted)
      .map(({ configuration }) => configuration);
  }

  #spans(from: number, to: number): ConfigurationSpan[] {
    return this.#log.configurations.filter(({ start, end }) => start < to && end > from);
  }

  #answerBefore(arrived: number): number {
    const previous = this.#log.arrivals.findLast(({ at }) => at < arrived);
    return previous === undefined ? 0 : (previous.answeredAt ?? previous.at);
  }

  #mayBeDiscarded(message: ExpectedMessage, before: number): boolean {
    if (this.#mayBePurged(message, before)) return true;
    const spans = this.#spans(Math.max(message.asked.start, this.#answerBefore(before)), before);
    return spans.some((span) => discards(span, message) !== 'no');
  }

  #mayBePurged(message: ExpectedMessage, before = Number.POSITIVE_INFINITY): boolean {
    return this.#log.purges.some(({ start, end }) => message.asked.start < end && start < before);
  }

  #isUsedUp(failures: number, { maxAttempts }: WebhookConfiguration): boolean {
    return failures >= Math.min(maxAttempts, this.#service.maxReceives);
  }

  #assertTarget(
    arrival: Arrival,
    message: ExpectedMessage,
    configurations: readonly WebhookConfiguration[],
  ): void {
    const fits = configurations.some(
      (each) =>
        new URL(each.targetUrl).pathname === arrival.path &&
        authorizationOf(each) === arrival.authorization &&
        discards({ configuration: each, deleted: false }, message) !== 'yes',
    );
    if (!fits) {
      const known = configurations
        .map((each) => `${each.targetUrl} ${authorizationOf(each)} ${each.enabled}`)
        .join(' or ');
      this.#fail(
        arrival,
        `came to ${arrival.path} with ${arrival.authorization}, but the webhook is ${known}`,
      );
    }
  }

  #assertTimestamp(arrival: Arrival, { event, wall }: ExpectedMessage, timestamp: string): void {
    if (!MOMENT.test(timestamp)) this.#fail(arrival, `has the timestamp ${timestamp}`);
    if (timestamp < this.#lastTimestamp) this.#fail(arrival, `goes back from ${this.#lastTimestamp}`);
    this.#lastTimestamp = timestamp;
    const moment = Date.parse(timestamp);
    if (moment < wall.start || moment > wall.end)
      this.#fail(
        arrival,
        `happened between ${new Date(wall.start).toISOString()} and ${new Date(wall.end).toISOString()}`,
      );
    const elsewhere = this.#service.timestamps.get(event) ?? timestamp;
    if (elsewhere !== timestamp) this.#fail(arrival, `has ${elsewhere} in another webhook`);
    this.#service.timestamps.set(event, timestamp);
  }

  /** Whether an attempt may have been lost with its process before the service recorded its outcome. */
  #mayBeLost({ at }: Arrival): boolean {
    const noted = this.#log.emptyAt.find((each) => each > at) ?? Number.POSITIVE_INFINITY;
    return this.#service.kills.some(({ start, end }) => end > at && start < noted);
  }

  /** Compares the outcomes of messages with the history, and resolves uncertain ones. */
  #compare(history: readonly HistoryEntry[]): { messageId: string; text: string }[] {
    const name = this.#name;
    const finals = this.#inOrderOf(history);
    assert.equal(history.length, finals.length, `${name}: messages in the history`);
    const dead: { messageId: string; text: string }[] = [];
    for (const [index, { seen, fates, expected }] of finals.entries()) {
      const entry = history[index]!;
      const what = `${name}: message ${index} of the history (${expected.cause})`;
      if (seen !== null) assert.equal(entry.message_id, seen.id, what);
      assert.ok(
        fates.has(entry.status as Fate),
        `${what} is ${entry.status}, not ${[...fates].join(' or ')}`,
      );
      if (seen !== null) {
        const { least, most } = seen.attempts;
        assert.ok(
          entry.attempts >= least && entry.attempts <= most,
          `${what} reports ${entry.attempts} attempts; ${least} to ${most} were seen`,
        );
      }
      fates.clear();
      fates.add(entry.status as Fate);
      if (entry.status === 'DEAD_LETTERED') dead.push({ messageId: entry.message_id, text: seen!.text });
    }
    return dead;
  }

  /**
   * The outcomes in the order of the history, which has a message in flight behind those that were purged in the
   * meantime.
   */
  #inOrderOf(history: readonly HistoryEntry[]): Fated[] {
    const finals = this.#finals();
    for (let index = 0; index < finals.length; index++) {
      const { seen, expected } = finals[index]!;
      if (seen === null || seen.id === history[index]?.message_id || !this.#mayBePurged(expected)) continue;
      const place = history.findIndex(({ message_id: id }) => id === seen.id);
      const purged = history.slice(index, place);
      if (purged.length === 0 || purged.some(({ status }) => status !== 'DISCARDED')) continue;
      finals.splice(place, 0, ...finals.splice(index, 1));
      index -= 1;
    }
    return finals;
  }

  /** A redelivered message is in the history once, at its first place and with its last outcome. */
  #finals(): Fated[] {
    const byId = new Map<string, Fated>();
    const finals: Fated[] = [];
    for (const fated of this.#over) {
      const id = fated.seen?.id ?? fated.expected.again?.messageId;
      const before = id === undefined ? undefined : byId.get(id);
      if (before === undefined) {
        const kept = { ...fated };
        if (id !== undefined) byId.set(id, kept);
        finals.push(kept);
      } else {
        Object.assign(before, fated, { seen: fated.seen ?? before.seen });
      }
    }
    return finals;
  }

  get #name(): string {
    return `webhook ${this.#log.webhookId}`;
  }

  #fail(arrival: Arrival, what: string): never {
    assert.fail(`${this.#name}: ${arrival.messageId} ${what}\nit is ${arrival.text}`);
  }
}
