import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { SUBTOPICS } from '../events/catalogue.ts';

/** From the response of a local target to one that takes the whole deadline, in seconds. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Around 100 ms, the time for which no request may block the event loop. */
const BUSY_BUCKETS = [
  ...[0.01, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2],
  ...[0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.75, 1, 2.5, 5],
];
/** Gauges of prom-client that are named like counters. The same values exist by type, under correct names. */
const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

/** The metrics that the parts of the service add to. */
export type Instruments = ReturnType<typeof createCounters> & ReturnType<typeof createHistograms>;

/** Creates the metrics that the parts of the service add to, and those of the process. */
export function createInstruments(
  registry: Registry,
  { engine, version }: { engine: string; version: string },
): Instruments {
  const instruments = { ...createCounters(registry), ...createHistograms(registry) };
  new Gauge({
    name: 'coursewire_build_info',
    help: 'Always 1; the version as a label.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  beginAtZero(instruments, engine);
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return instruments;
}

function createCounters(registry: Registry) {
  const registers = [registry];
  return {
    events: new Counter({
      name: 'coursewire_events_total',
      help: 'Events that occurred, by subtopic.',
      labelNames: ['subtopic'],
      registers,
    }),
    messages: new Counter({
      name: 'coursewire_messages_total',
      help: 'Messages enqueued by events, by subtopic.',
      labelNames: ['subtopic'],
      registers,
    }),
    attempts: new Counter({
      name: 'coursewire_delivery_attempts_total',
      help: 'Delivery attempts by outcome: success, retry (failed, will be retried) or dead_letter.',
      labelNames: ['outcome'],
      registers,
    }),
    discarded: new Counter({
      name: 'coursewire_messages_discarded_total',
      help:
        'Messages discarded because their webhook was inactive or deleted, or because of `ignore_before_dt`. ' +
        'Purged ones do not count.',
      registers,
    }),
    postponed: new Counter({
      name: 'coursewire_messages_postponed_total',
      help: 'Messages put back without an attempt, by cause: unable_to_connect (no file descriptors, no name server) or origin_limit.',
      labelNames: ['cause'],
      registers,
    }),
    queueErrors: new Counter({
      name: 'coursewire_queue_errors_total',
      help: 'Failed operations on the queue, by engine.',
      labelNames: ['engine'],
      registers,
    }),
    checks: new Gauge({
      name: 'coursewire_check_ok',
      help: 'For each check of /health/ready: 1 if it succeeded last, 0 if it failed.',
      labelNames: ['check'],
      registers,
    }),
  };
}

function createHistograms(registry: Registry) {
  const registers = [registry];
  return {
    deliverySeconds: new Histogram({
      name: 'coursewire_delivery_duration_seconds',
      help: 'Duration of delivery attempts.',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    eventToDeliverySeconds: new Histogram({
      name: 'coursewire_event_to_delivery_seconds',
      help: 'Time from an event to its delivery, for messages that were delivered at the first attempt, except redelivered and replayed ones.',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    eventLoopBusySeconds: new Histogram({
      name: 'coursewire_event_loop_busy_seconds',
      help: 'Processor time for which the service itself blocked the event loop, measured every 20 ms.',
      buckets: BUSY_BUCKETS,
      registers,
    }),
  };
}

/** Counters with labels have a value from the start, because a query cannot see the first increase of a missing one. */
function beginAtZero(
  { events, messages, attempts, postponed, queueErrors }: Instruments,
  engine: string,
): void {
  queueErrors.inc({ engine }, 0);
  for (const subtopic of SUBTOPICS) {
    events.inc({ subtopic }, 0);
    messages.inc({ subtopic }, 0);
  }
  for (const outcome of ['success', 'retry', 'dead_letter']) attempts.inc({ outcome }, 0);
  for (const cause of ['unable_to_connect', 'origin_limit']) postponed.inc({ cause }, 0);
}
