import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { isDamage } from '../database/damage.ts';
import type { Database } from '../database/database.ts';
import type { DeliveryQueue } from '../queue/message-queue.ts';
import { STOP_MS } from '../settings/stop-time.ts';
import { SECOND_MS } from '../time/units.ts';
import { WakeablePause } from '../time/wakeable-pause.ts';
import type { DeliveryTargets } from '../webhooks/delivery-targets.ts';
import type { DeliverySettlement } from '../webhooks/history/record-outcomes.ts';
import { type AttemptDependencies, Attempts } from './attempt.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { DeliveryReports, type DeliveryReportsDependencies } from './delivery-reports.ts';
import { DeliverySlots } from './delivery-slots.ts';
import { PollOutage, SHORTEST_PAUSE_MS } from './poll-outage.ts';
import { NOTHING, type Notifies, type Polled, QueuePoll } from './queue-poll.ts';
import { ReceivedMessages } from './received-messages.ts';
import type { FinishedMessage } from './settlements.ts';
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
/**
 * With this many requests in flight, a poll waits one turn of the event loop for responses that are about to
 * arrive. Half as many more deliveries are settled with it and share the cost of the commit (8 % of all time with 100
 * webhooks).
 */
const GATHERED_FROM = 16;
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
  readonly #slots: DeliverySlots;
  readonly #unstored: UnstoredOutcomes;
  readonly #messages: ReceivedMessages;
  readonly #outage: PollOutage;
  #finished: FinishedMessage[] = [];
  /** Settlements that were refused together, and have not been stored one by one yet. */
  #apart: readonly FinishedMessage[] = [];
  readonly #idle = new WakeablePause();
  /** When the next head is due, by `#elapsed`, because the wall clock may change. */
  #nextDueAt: number | null = null;
  readonly #stop = new AbortController();
  /** Whether a failed poll may have left leases that this instance does not know. */
  #mayHoldMore = false;
  /** Whether the last poll failed because a part of the database is damaged, such as the body of a message. */
  #receivesOneByOne = false;
  /** Whether others were notified, since the stop began, that this instance receives nothing more. */
  #hasLeft = false;
  #running: Promise<void> | null = null;

  constructor(dependencies: DeliveryWorkerDependencies) {
    this.#with = dependencies;
    this.#elapsed = dependencies.elapsed ?? (() => performance.now());
    this.#queuePoll = new QueuePoll(dependencies);
    this.#reports = new DeliveryReports(dependencies);
    this.#slots = new DeliverySlots({
      quickLimit: dependencies.options.concurrency,
      elapsed: this.#elapsed,
    });
    this.#outage = new PollOutage({ log: dependencies.log, elapsed: this.#elapsed });
    this.#unstored = new UnstoredOutcomes({
      settle: async (settlement) => {
        const polled = await this.#queuePoll.settleAlone(settlement, this.#notifies);
        this.#reportRemoved(polled);
        return polled.settled > 0;
      },
      lines: dependencies.queue.lines,
      log: dependencies.log,
      onFailure: () => dependencies.metrics.queueFailed(),
      now: dependencies.now,
      elapsed: this.#elapsed,
    });
    this.#messages = new ReceivedMessages({
      ...dependencies,
      attempts: new Attempts(dependencies, this.#reports),
      reports: this.#reports,
      slots: this.#slots,
      unstored: this.#unstored,
      onFinished: (settlement) => void this.#finished.push(settlement),
      onRequestEnd: () => this.#idle.wake(),
      elapsed: this.#elapsed,
    });
  }

  get #stopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /**
   * When this instance stops, others learn at once that lines may be due for them, not only at their next poll. This
   * includes lines that it has settled before, because only a poll shows when their heads are due.
   */
  get #notifies(): Notifies {
    if (!this.#stopping) return 'never';
    return this.#hasLeft ? 'if settled' : 'always';
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
    this.#outage.check();
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
        // Without the database, nobody can be notified.
        if (unsettled === 0 && (this.#hasLeft || !succeeded)) return;
        settleBy = Math.min(settleBy, this.#elapsed() + STOP_MS.outcomes);
        if (unsettled > 0 && this.#elapsed() >= settleBy) {
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
    const notifies = this.#notifies;
    const next = {
      capacity: notifies === 'never' ? this.#slots.free() : 0,
      visibilityMs: this.#with.options.timeoutMs + VISIBILITY_MARGIN_MS,
    };
    let settling: 'not begun' | 'begun' | 'done' = 'not begun';
    const begunAt = this.#elapsed();
    const receivesOneByOne = this.#receivesOneByOne;
    this.#receivesOneByOne = false;
    try {
      if (this.#mayHoldMore) await this.#takeBackLeases(settlements);
      settling = 'begun';
      // No lease of this poll begins earlier.
      const sendBy = this.#elapsed() + SENT_WITHIN_MS;
      const polled = await this.#queuePoll.run(settlements, next, { notifies, receivesOneByOne });
      settling = 'done';
      if (notifies === 'always') this.#hasLeft = true;
      this.#reportRemoved(polled);
      const { received, nextAvailableAt } = polled;
      if (settlements.length + received.length > 0)
        this.#with.log.debug('settled and received messages', {
          settled: settlements.length,
          received: received.length,
        });
      this.#nextDueAt =
        nextAvailableAt === null ? null : this.#elapsed() + nextAvailableAt - this.#with.now();
      if (received.length > 0) await this.#messages.handle(received, sendBy);
      if (this.#unstored.due > 0) {
        // Their lines are due soon.
        this.#idle.wake();
        await this.#unstored.storeDue();
      }
      this.#outage.ended();
      return true;
    } catch (error) {
      this.#mayHoldMore = true;
      this.#receivesOneByOne = isDamage(error) && !receivesOneByOne;
      if (settling === 'begun' && settlements.length === 0 && this.#receivesOneByOne) {
        this.#with.metrics.queueFailed();
        this.#idle.wake();
        return true;
      }
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
      this.#reportRemoved(await this.#queuePoll.run(settlements, NOTHING, { notifies: this.#notifies })),
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
    if (left.length > 0) this.#outage.delayed(STORED_APART);
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
    this.#outage.failed(error);
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
    const held = [...this.#messages.leases, ...this.#unstored.held, ...settled];
    const lines = await this.#with.queue.lines.takeBackLeases(held);
    this.#mayHoldMore = false;
    if (lines > 0)
      this.#with.log.info('ended leases that were held before an outage of the database', { lines });
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
    if (this.#stopping) await delay(SHORTEST_PAUSE_MS);
    else await delay(this.#outage.pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
