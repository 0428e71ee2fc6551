import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SUBTOPICS } from '../events/catalogue.ts';
import { SECOND_MS } from '../time/units.ts';
import type { EventLoopReadings } from './event-loop-watch.ts';

/** From the response of a local target to one that takes the whole deadline, in seconds. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Around 100 ms, the time for which no request may block the event loop. */
const BUSY_BUCKETS = [
  ...[0.01, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2],
  ...[0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.75, 1, 2.5, 5],
];
/** Gauges of prom-client that are named like counters. The same values exist by type, under correct names. */
const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);
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
  readonly #events: Counter<'subtopic'>;
  readonly #messages: Counter<'subtopic'>;
  readonly #attempts: Counter<'outcome'>;
  readonly #discarded: Counter;
  readonly #postponed: Counter<'cause'>;
  readonly #queueErrors: Counter<'engine'>;
  readonly #checks: Gauge<'check'>;
  readonly #deliverySeconds: Histogram;
  readonly #eventToDeliverySeconds: Histogram;
  readonly #eventLoopBusySeconds: Histogram;
  readonly #engine: string;
  #readQueue: () => Promise<void> = async () => {};
  #scrape: Promise<string> | null = null;

  /** @param engine the queue engine's name; @param version the program's. */
  constructor({ engine, version }: { engine: string; version: string }) {
    const registers = [this.#registry];
    this.#engine = engine;
    this.#events = new Counter({
      name: 'coursewire_events_total',
      help: 'Events that occurred, by subtopic.',
      labelNames: ['subtopic'],
      registers,
    });
    this.#messages = new Counter({
      name: 'coursewire_messages_total',
      help: 'Messages enqueued by events, by subtopic.',
      labelNames: ['subtopic'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'coursewire_delivery_attempts_total',
      help: 'Delivery attempts by outcome: success, retry (failed, will be retried) or dead_letter.',
      labelNames: ['outcome'],
      registers,
    });
    this.#discarded = new Counter({
      name: 'coursewire_messages_discarded_total',
      help:
        'Messages discarded because their webhook was inactive or deleted, or because of `ignore_before_dt`. ' +
        'Purged ones do not count.',
      registers,
    });
    this.#postponed = new Counter({
      name: 'coursewire_messages_postponed_total',
      help: 'Messages put back without an attempt, by cause: unable_to_connect (no file descriptors, no name server) or origin_limit.',
      labelNames: ['cause'],
      registers,
    });
    this.#queueErrors = new Counter({
      name: 'coursewire_queue_errors_total',
      help: 'Failed operations on the queue, by engine.',
      labelNames: ['engine'],
      registers,
    });
    this.#checks = new Gauge({
      name: 'coursewire_check_ok',
      help: 'For each check of /health/ready: 1 if it succeeded last, 0 if it failed.',
      labelNames: ['check'],
      registers,
    });
    this.#deliverySeconds = new Histogram({
      name: 'coursewire_delivery_duration_seconds',
      help: 'Duration of delivery attempts.',
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#eventToDeliverySeconds = new Histogram({
      name: 'coursewire_event_to_delivery_seconds',
      help: 'Time from an event to its delivery, for messages that were delivered at the first attempt, except redelivered and replayed ones.',
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#eventLoopBusySeconds = new Histogram({
      name: 'coursewire_event_loop_busy_seconds',
      help: 'Processor time for which the service itself blocked the event loop, measured every 20 ms.',
      buckets: BUSY_BUCKETS,
      registers,
    });
    new Gauge({
      name: 'coursewire_build_info',
      help: 'Always 1; the version as a label.',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    this.#queueErrors.inc({ engine }, 0);
    for (const subtopic of SUBTOPICS) {
      this.#events.inc({ subtopic }, 0);
      this.#messages.inc({ subtopic }, 0);
    }
    for (const outcome of ['success', 'retry', 'dead_letter']) this.#attempts.inc({ outcome }, 0);
    for (const cause of ['unable_to_connect', 'origin_limit']) this.#postponed.inc({ cause }, 0);
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
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
    let reading: Promise<GaugeReadings> | null = null;
    this.#readQueue = async () => {
      // A database that does not respond gets one request, however often metrics are scraped meanwhile.
      reading ??= read().finally(() => {
        reading = null;
      });
      const readings = await withinTimeout(reading);
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
    this.#eventLoopBusySeconds.observe(seconds);
  }

  eventOccurred(subtopic: string): void {
    this.#events.inc({ subtopic });
  }

  /** Counts the messages of an event. */
  messagesEnqueued(subtopic: string, count: number): void {
    if (count > 0) this.#messages.inc({ subtopic }, count);
  }

  attempted(outcome: 'success' | 'retry' | 'dead_letter', durationMs: number): void {
    this.#attempts.inc({ outcome });
    this.#deliverySeconds.observe(durationMs / SECOND_MS);
  }

  arrived(sinceEventMs: number): void {
    this.#eventToDeliverySeconds.observe(sinceEventMs / SECOND_MS);
  }

  discarded(count: number): void {
    this.#discarded.inc(count);
  }

  postponed(cause: 'unable_to_connect' | 'origin_limit'): void {
    this.#postponed.inc({ cause });
  }

  queueFailed(): void {
    this.#queueErrors.inc({ engine: this.#engine });
  }

  /** Sets the last result of a readiness check. */
  checked(check: string, works: boolean): void {
    this.#checks.set({ check }, works ? 1 : 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The current values. Concurrent scrapes share one text, because writing it takes milliseconds. */
  text(): Promise<string> {
    this.#scrape ??= this.#write().finally(() => {
      this.#scrape = null;
    });
    return this.#scrape;
  }

  async #write(): Promise<string> {
    // Runs before the registry is read: a gauge that sets others while it is collected would set them for the next
    // scrape.
    await this.#readQueue();
    return await this.#registry.metrics();
  }
}

/** What a reading gives; null if it fails or takes too long. Its failure is logged where it occurs. */
async function withinTimeout<T>(reading: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), READ_TIMEOUT_MS);
  });
  try {
    return await Promise.race([reading.catch(() => null), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
