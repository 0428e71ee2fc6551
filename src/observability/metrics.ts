import { Counter, Gauge, Registry } from 'prom-client';
import { oneAtATime } from '../one-at-a-time.ts';
import { SECOND_MS } from '../time/units.ts';
import { within } from '../time/within.ts';
import type { EventLoopReadings } from './event-loop-watch.ts';
import { createInstruments, type Instruments } from './instruments.ts';

/** How long a scrape waits for the totals of the queue. Prometheus gives up after 10 s by default. */
const READ_TIMEOUT_MS = 3 * SECOND_MS;

/** Totals that are read at each scrape. */
export interface GaugeReadings {
  waiting: number;
  inFlight: number;
  deadLetters: number;
  linesBlocked: number;
  oldestAgeSeconds: number;
}

/** The metrics of the service, in Prometheus' text format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #instruments: Instruments;
  readonly #engine: string;
  #readQueue: () => Promise<void> = async () => {};
  /** The current values. Concurrent scrapes share one text, because writing it takes milliseconds. */
  readonly text = oneAtATime(() => this.#write());

  /** @param engine the queue engine's name; @param version the program's. */
  constructor({ engine, version }: { engine: string; version: string }) {
    this.#engine = engine;
    this.#instruments = createInstruments(this.#registry, { engine, version });
  }

  /**
   * Adds the gauges of the queue, all set from one reading at every scrape. While they cannot be read, they have no value.
   */
  observeQueue(read: () => Promise<GaugeReadings>): void {
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [this.#registry] });
    const gauges: Readonly<Record<keyof GaugeReadings, Gauge>> = {
      waiting: gauge('coursewire_queue_depth', 'Messages that are waiting or in flight.'),
      inFlight: gauge('coursewire_queue_in_flight', 'Messages in flight.'),
      deadLetters: gauge('coursewire_dead_letters', 'Messages in the dead-letter queue.'),
      linesBlocked: gauge(
        'coursewire_webhooks_blocked',
        'Webhooks whose first message has failed and is neither delivered nor dead-lettered yet.',
      ),
      oldestAgeSeconds: gauge(
        'coursewire_queue_oldest_age_seconds',
        'How long the oldest waiting message has been waiting: since its event, redelivery or replay. 0 if there is none.',
      ),
    };
    // A database that does not respond gets one request, however often metrics are scraped in the meantime.
    const readOnce = oneAtATime(read);
    this.#readQueue = async () => {
      // Its failure is logged where it occurs.
      const readings = await within(
        READ_TIMEOUT_MS,
        readOnce().catch(() => null),
        () => null,
      );
      for (const name of Object.keys(gauges) as (keyof GaugeReadings)[]) {
        if (readings === null) gauges[name].remove();
        else gauges[name].set(readings[name]);
      }
    };
  }

  /** Adds the observations of the event loop, which are read at every scrape. */
  observeEventLoop(read: () => EventLoopReadings): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'coursewire_event_loop_longest_stall_seconds',
      help: 'The longest time for which the event loop was blocked in the last minute.',
      registers,
      collect() {
        this.set(read().longestStallSeconds);
      },
    });
    new Counter({
      name: 'coursewire_event_loop_stalled_seconds_total',
      help: 'Total time for which the event loop was blocked, in stalls of more than 100 ms.',
      registers,
      collect() {
        this.reset();
        this.inc(read().stalledSeconds);
      },
    });
  }

  /** Counts for how long the event loop was blocked between two checks. */
  eventLoopBusy(seconds: number): void {
    this.#instruments.eventLoopBusySeconds.observe(seconds);
  }

  eventOccurred(subtopic: string): void {
    this.#instruments.events.inc({ subtopic });
  }

  /** Counts the messages of an event. */
  messagesEnqueued(subtopic: string, count: number): void {
    if (count > 0) this.#instruments.messages.inc({ subtopic }, count);
  }

  attempted(outcome: 'success' | 'retry' | 'dead_letter', durationMs: number): void {
    this.#instruments.attempts.inc({ outcome });
    this.#instruments.deliverySeconds.observe(durationMs / SECOND_MS);
  }

  arrived(sinceEventMs: number): void {
    this.#instruments.eventToDeliverySeconds.observe(sinceEventMs / SECOND_MS);
  }

  discarded(count: number): void {
    this.#instruments.discarded.inc(count);
  }

  postponed(cause: 'unable_to_connect' | 'origin_limit'): void {
    this.#instruments.postponed.inc({ cause });
  }

  queueFailed(): void {
    this.#instruments.queueErrors.inc({ engine: this.#engine });
  }

  /** Sets the last result of a readiness check. */
  checked(check: string, works: boolean): void {
    this.#instruments.checks.set({ check }, works ? 1 : 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async #write(): Promise<string> {
    // Runs before the registry is read: a gauge that sets others while it is collected would set them for the next
    // scrape.
    await this.#readQueue();
    return await this.#registry.metrics();
  }
}
