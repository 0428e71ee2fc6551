import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { OutageLog } from '../observability/outage-log.ts';
import { messageOf } from '../problems/error-message.ts';
import type { DeliveryQueue, ReceivedMessage } from '../queue/message-queue.ts';
import { STOP_MS } from '../settings/stop-time.ts';
import { SECOND_MS } from '../time/units.ts';
import { WakeablePause } from '../time/wakeable-pause.ts';
import type { DeliveryTargets } from '../webhooks/delivery-targets.ts';
import type { DeliverySettlement } from '../webhooks/history/record-outcomes.ts';
import { type Attempt, type AttemptDependencies, Attempts } from './attempt.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { DeliveryReports, type DeliveryReportsDependencies } from './delivery-reports.ts';
import { DeliverySlots, type Slot } from './delivery-slots.ts';
import { NOTHING, type Polled, QueuePoll } from './queue-poll.ts';
import { deadLetter, discard, discardReason, type FinishedMessage, hold, release } from './settlements.ts';
import { type TakenUp, takeUp } from './take-up.ts';
import { ROUND_MS, UnstoredOutcomes } from './unstored-outcomes.ts';

/**
 * How much longer than `delivery_timeout` a message is leased. This allows for the lookup of its host name, and keeps a
 * stalled process or a slow commit from causing a second delivery.
 */
export const VISIBILITY_MARGIN_MS = 30_000;
/**
 * How long after its lease began a message may still be sent. A process that was frozen for longer may have lost the
 * lease, and another instance may have sent later messages. The rest of the margin is for the lookup of the host name.
 */
const SENT_WITHIN_MS = (VISIBILITY_MARGIN_MS * 2) / 3;
/** Pauses after the queue or database failed, doubling from the first to the second value. */
const OUTAGE_PAUSE_MIN_MS = 250;
const OUTAGE_PAUSE_MAX_MS = 10_000;
/**
 * With this many requests in flight, a poll waits one turn of the event loop for responses that are about to
 * arrive. Half as many more deliveries are settled with it and share the cost of the commit (8 % of all time with 100
 * webhooks).
 */
const GATHERED_FROM = 16;
/** How long delivery may pause because polls fail before its check fails. */
const TROUBLE_AFTER_MS = 30 * SECOND_MS;
/** A poll that fails within this time is repeated before its outcomes are stored one by one. */
const TRANSIENT_MS = SECOND_MS;
const STORED_APART = 'the database refuses outcomes, which are stored one by one';

/** Dependencies of {@link DeliveryWorker}. */
export interface DeliveryWorkerDependencies extends AttemptDependencies, DeliveryReportsDependencies {
  database: Database;
  queue: DeliveryQueue;
  targets: DeliveryTargets;
  options: DeliveryOptions;
  /** Milliseconds on a monotonic clock, for durations. @defaultValue `performance.now` */
  elapsed?: () => number;
}

/**
 * Receives messages from the queue, posts them, and settles the results. One poll of the queue settles everything that
 * finished since the last one, and receives as many new heads as there are free slots. No request is ever made inside a
 * transaction.
 */
export class DeliveryWorker implements AsyncDisposable {
  readonly #with: DeliveryWorkerDependencies;
  readonly #elapsed: () => number;
  readonly #queuePoll: QueuePoll;
  readonly #reports: DeliveryReports;
  readonly #attempts: Attempts;
  readonly #slots: DeliverySlots;
  readonly #unstored: UnstoredOutcomes;
  readonly #outages: OutageLog;
  #finished: FinishedMessage[] = [];
  /** Settlements that were refused together, and have not been stored one by one yet. */
  #apart: readonly FinishedMessage[] = [];
  /** Messages that wait for the end of a request of their line, by line. */
  readonly #behindRequests = new Map<number, ReceivedMessage>();
  readonly #idle = new WakeablePause();
  /** When the next head is due, by `#elapsed`, because the wall clock may change. */
  #nextDueAt: number | null = null;
  readonly #stop = new AbortController();
  /** The polls that failed since the last one that succeeded. */
  #failures = 0;
  /** Since when polls fail, by `#elapsed`, and the last error; null if the last one succeeded. */
  #failing: { since: number; error: unknown } | null = null;
  /** Whether a failed poll may have left leases that this instance does not know. */
  #mayHoldMore = false;
  #running: Promise<void> | null = null;

  constructor(dependencies: DeliveryWorkerDependencies) {
    this.#with = dependencies;
    this.#elapsed = dependencies.elapsed ?? (() => performance.now());
    this.#queuePoll = new QueuePoll(dependencies);
    this.#reports = new DeliveryReports(dependencies);
    this.#attempts = new Attempts(dependencies, this.#reports);
    this.#slots = new DeliverySlots({
      quickLimit: dependencies.options.concurrency,
      elapsed: this.#elapsed,
    });
    this.#outages = new OutageLog(dependencies.log);
    this.#unstored = new UnstoredOutcomes({
      settle: async (settlement) => {
        const polled = await this.#queuePoll.settleAlone(settlement);
        this.#reportRemoved(polled);
        return polled.settled > 0;
      },
      lines: dependencies.queue.lines,
      log: dependencies.log,
      onFailure: () => dependencies.metrics.queueFailed(),
      now: dependencies.now,
      elapsed: this.#elapsed,
    });
  }

  get #stopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The number of requests in flight. */
  get inFlight(): number {
    return this.#slots.taken;
  }

  /** Starts to deliver. */
  start(): void {
    this.#with.queue.lines.onAvailable(() => this.#idle.wake());
    this.#running ??= this.#run();
  }

  /** @throws {Error} if no poll has succeeded for a while */
  async check(): Promise<void> {
    if (this.#failing === null || this.#elapsed() - this.#failing.since < TROUBLE_AFTER_MS) return;
    throw new Error(`no messages can be received from the queue: ${messageOf(this.#failing.error)}`);
  }

  /** @throws {Error} while the database refuses the outcomes of messages, so that their webhooks wait */
  checkOutcomes(): Promise<void> {
    return this.#unstored.check();
  }

  /** Receives no more messages, lets requests in flight finish within `shutdownTimeoutMs`, settles them, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#idle.wake();
    if (this.#running === null) return;
    const abortion = setTimeout(() => this.#with.sender.abort(), this.#with.options.shutdownTimeoutMs);
    await this.#running;
    clearTimeout(abortion);
  }

  async #run(): Promise<void> {
    let settleBy = Number.POSITIVE_INFINITY;
    while (true) {
      const succeeded = await this.#poll();
      const idle = this.#slots.taken === 0;
      if (this.#stopping && idle) {
        const unsettled = this.#finished.length + this.#apart.length + this.#unstored.due;
        if (unsettled === 0) return;
        settleBy = Math.min(settleBy, this.#elapsed() + STOP_MS.outcomes);
        if (this.#elapsed() >= settleBy) {
          this.#with.log.error('stopped without settling deliveries: they will be repeated', {
            messages: unsettled,
          });
          return;
        }
      }
      if (!succeeded) await this.#pause();
      else if (this.#finished.length === 0) await this.#sleep();
      if (this.#slots.taken >= GATHERED_FROM) await nextTurn();
    }
  }

  /** Polls the queue once. Returns false if the poll failed, or if the leased messages could not be sent. */
  async #poll(): Promise<boolean> {
    // This poll handles everything that caused earlier wake-ups. A wake-up that is kept would cause an empty poll, and
    // a response that arrives during that poll would keep another one.
    this.#idle.forget();
    if (this.#apart.length > 0) return await this.#settleApart(this.#apart);
    const settlements = this.#finished;
    this.#finished = [];
    const leavesLines = this.#stopping;
    const next = {
      capacity: leavesLines ? 0 : this.#slots.free(),
      visibilityMs: this.#with.options.timeoutMs + VISIBILITY_MARGIN_MS,
    };
    let settling: 'not begun' | 'begun' | 'done' = 'not begun';
    const begunAt = this.#elapsed();
    try {
      if (this.#mayHoldMore) await this.#takeBackLeases(settlements);
      settling = 'begun';
      // No lease of this poll begins earlier.
      const sendBy = this.#elapsed() + SENT_WITHIN_MS;
      const polled = await this.#queuePoll.run(settlements, next, { leavesLines });
      settling = 'done';
      this.#reportRemoved(polled);
      const { received, nextAvailableAt } = polled;
      if (settlements.length + received.length > 0)
        this.#with.log.debug('settled and received messages', {
          settled: settlements.length,
          taken_up: received.length,
        });
      this.#nextDueAt =
        nextAvailableAt === null ? null : this.#elapsed() + nextAvailableAt - this.#with.now();
      if (received.length > 0) await this.#handle(received, sendBy);
      if (this.#unstored.due > 0) {
        // Their lines are due soon.
        this.#idle.wake();
        await this.#unstored.storeDue();
      }
      this.#outages.ended('the queue responds again: delivery continues');
      this.#failing = null;
      this.#failures = 0;
      return true;
    } catch (error) {
      this.#mayHoldMore = true;
      const isFast = this.#elapsed() - begunAt < TRANSIENT_MS;
      const probe = () => this.#queuePoll.probe();
      if (settling === 'begun' && settlements.length > 0 && (await this.#succeeds(probe))) {
        this.#with.metrics.queueFailed();
        // A lost connection fails fast, a lock does not. Outcomes that are refused twice are stored one by one.
        return (isFast && (await this.#settleAgain(settlements))) || (await this.#settleApart(settlements));
      }
      // Finished deliveries are settled at the next attempt, unless their leases have ended by then.
      if (settling !== 'done') this.#finished = [...settlements, ...this.#finished];
      return this.#failed(error);
    }
  }

  /** Settles messages together once more. Returns false if that fails, too. */
  async #settleAgain(settlements: readonly FinishedMessage[]): Promise<boolean> {
    this.#idle.wake();
    return await this.#succeeds(async () =>
      this.#reportRemoved(await this.#queuePoll.run(settlements, NOTHING)),
    );
  }

  /**
   * Settles messages one by one after settling them together failed. Nothing is received before all are settled or put back,
   * because their leases may end meanwhile. Returns false if the database fails.
   */
  async #settleApart(settlements: readonly FinishedMessage[]): Promise<boolean> {
    this.#apart = [];
    const roundMs = this.#stopping ? STOP_MS.outcomes : ROUND_MS;
    const { left, error } = await this.#unstored.store(settlements, roundMs);
    if (error !== null) {
      this.#finished = [...left, ...this.#finished];
      return this.#failed(error);
    }
    this.#apart = left;
    if (left.length > 0) this.#failing ??= { since: this.#elapsed(), error: new Error(STORED_APART) };
    // The next poll follows at once.
    this.#idle.wake();
    return true;
  }

  /** @param poll leases nothing, because the outcomes of what it would receive may be known */
  async #succeeds(poll: () => Promise<unknown>): Promise<boolean> {
    try {
      await poll();
      return true;
    } catch {
      this.#with.metrics.queueFailed();
      return false;
    }
  }

  /** Notes a failed poll. Returns false. */
  #failed(error: unknown): false {
    this.#with.metrics.queueFailed();
    this.#outages.failed(
      {
        begins: 'the queue failed: delivery pauses until it responds',
        goesOn: 'the queue still fails: nothing is delivered',
      },
      { error },
    );
    this.#failing = { since: this.#failing?.since ?? this.#elapsed(), error };
    this.#failures += 1;
    return false;
  }

  #reportRemoved({ removed }: Polled): void {
    for (const settled of removed) this.#reports.removed(settled);
  }

  /**
   * Ends the leases that this instance does not know after a failure. A commit whose response was lost has created
   * some, and a crash of the server may have restored earlier ones. Their lines would wait until the leases end.
   */
  async #takeBackLeases(settlements: readonly DeliverySettlement[]): Promise<void> {
    const settled = settlements.map(({ message }) => message);
    const held = [
      ...this.#slots.leases(),
      ...this.#behindRequests.values(),
      ...this.#unstored.held,
      ...settled,
    ];
    const lines = await this.#with.queue.lines.takeBackLeases(held);
    this.#mayHoldMore = false;
    if (lines > 0)
      this.#with.log.info('ended leases that were held before an outage of the database', { lines });
  }

  /** @param sendBy until when messages may be sent, by `#elapsed` */
  async #handle(receivedNow: readonly ReceivedMessage[], sendBy: number): Promise<void> {
    const received = this.#withoutKnownOutcomes(this.#withoutRequests(receivedNow));
    const { targets: webhooks, queue } = this.#with;
    let takenUp: TakenUp;
    try {
      takenUp = await takeUp(received, { targets: webhooks, maxReceives: queue.maxReceives });
    } catch (error) {
      // These messages were not attempted, so they return to the heads of their lines.
      this.#finished.push(...received.map((message) => release(message)));
      throw error;
    }
    const { targets, resent, exhausted } = takenUp;
    let late = 0;
    for (const message of received) {
      const target = targets.get(message.lineId);
      const reason = discardReason(message, target);
      if (reason !== null) this.#finish(discard(message, target, reason, this.#with.now()));
      else if (target?.state === 'PAUSED') this.#finish(hold(message));
      else if (target !== undefined && exhausted.has(message.messageId))
        this.#finish(deadLetter(message, target, this.#with.now()));
      else if (this.#elapsed() > sendBy) {
        // The release takes effect only if the lease is still valid.
        this.#finish(release(message));
        late += 1;
      } else if (target !== undefined)
        this.#deliverOrPostpone({ message, target, mayResend: !resent.has(message.messageId) });
    }
    if (late > 0) this.#reports.late(late);
  }

  /**
   * The messages whose lines have no request in flight. The other messages wait for the end of that request, and then
   * return to their lines. The lease of that request seems to have ended early, for example because the clock was set
   * forward. A second request of the webhook could be processed before the one in flight.
   */
  #withoutRequests(received: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
    const early = received.filter(({ lineId }) => this.#slots.holds(lineId));
    if (early.length === 0) return received;
    for (const message of early) this.#behindRequests.set(message.lineId, message);
    this.#reports.early(early.length);
    return received.filter((message) => !early.includes(message));
  }

  /** The messages without a known outcome. The outcomes of the others could not be stored, so this is repeated. */
  #withoutKnownOutcomes(received: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
    if (this.#unstored.isEmpty) return received;
    return received.filter((message) => !this.#unstored.recall(message));
  }

  /** Lets the next poll settle a message, or stores its outcome alone if the last one of its line was refused. */
  #finish(settlement: FinishedMessage): void {
    if (!this.#unstored.replace(settlement)) this.#finished.push(settlement);
  }

  #deliverOrPostpone(attempt: Attempt): void {
    const { message, target } = attempt;
    const origin = this.#with.sender.originOf(target.targetUrl);
    const pause = this.#slots.originPause(origin);
    if (pause === null) void this.#deliver(attempt, this.#slots.take(message, origin));
    else this.#finish(this.#attempts.postpone(message, 'origin_limit', origin, pause));
  }

  async #deliver(attempt: Attempt, slot: Slot): Promise<void> {
    try {
      this.#finish(await this.#attempts.run(attempt));
    } finally {
      this.#slots.give(slot);
      const { lineId } = attempt.message;
      const behind = this.#behindRequests.get(lineId);
      if (behind !== undefined) this.#finished.push(release(behind));
      this.#behindRequests.delete(lineId);
      this.#idle.wake();
    }
  }

  /** Waits until the worker is woken, the next head is due and may be sent, or the safety net's interval ends. */
  async #sleep(): Promise<void> {
    await this.#idle.rest(Math.max(1, Math.min(this.#nextLookIn(), this.#with.options.pollIntervalMs)));
  }

  /** How long until the next head is due and may be sent, in milliseconds. */
  #nextLookIn(): number {
    if (this.#nextDueAt === null || this.#stopping) return Number.POSITIVE_INFINITY;
    const dueIn = this.#nextDueAt - this.#elapsed();
    if (this.#slots.free() > 0) return dueIn;
    // Without a free slot, a due head is no reason to receive.
    return Math.max(dueIn, this.#slots.nextFreeIn() ?? Number.POSITIVE_INFINITY);
  }

  async #pause(): Promise<void> {
    const pause = Math.min(OUTAGE_PAUSE_MAX_MS, OUTAGE_PAUSE_MIN_MS * 2 ** Math.min(this.#failures, 10));
    if (this.#stopping) await delay(OUTAGE_PAUSE_MIN_MS);
    else await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
