import { isolate } from '../utilities/isolate.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { counted } from './counted.ts';

/** The messages that wait in the line of a webhook. */
export const waiting = {
  title: 'Waiting messages',
  description: 'In the order in which they will be sent.',
  label: 'Waiting messages',
  pages: 'Pages of the waiting messages',
  first: 'First',
  previous: 'Previous',
  next: 'Next',
  head: 'First in line',
  inFlight: 'In flight',
  waits: 'Waiting',
  open: (event: string, position: number) => `${event}, position ${position}`,
  pageGone: 'The messages of this page were delivered or removed.',
  purge: 'Purge…',
  details: {
    title: 'Waiting message',
    attempts: 'Attempts',
    history: 'History',
    toDelivery: 'Show its attempts',
    gone: 'This message no longer waits: it was delivered, moved to dead letters or discarded.',
    skip: 'Move to dead letters…',
    skipTitle: 'Move this message to dead letters?',
    skipDescription: (event: string) =>
      `This message (${event}) is moved to dead letters and not sent. The other messages keep their order. You can redeliver it later, but it will then arrive out of order.`,
    skipConfirm: 'Move to dead letters',
    skipped: 'The message was moved to dead letters.',
  },
  purging: {
    title: 'Purge the line',
    description: (name: string, count: number) =>
      count === 1
        ? `The message that waits for ${isolate(name)} is discarded and not sent. The history lists it as discarded, and you can redeliver it from there until the history expires.`
        : `The ${formatNumber(count)} messages that wait for ${isolate(name)} are discarded and not sent. A message in flight is completed, and messages of new events are sent as usual. The history lists the purged messages as discarded, and you can redeliver them from there until the history expires.`,
    until: 'Only events before',
    untilDescription: 'Empty: all messages that wait now.',
    submit: 'Purge',
    progress: (done: string, total: string) => `${done} of ${total} purged`,
    progressLabel: 'Progress',
    running: 'Purging…',
    done: (count: number) => `Done: ${counted(count, 'message', 'messages')} purged.`,
    stopped: (done: string, left: string) => `Stopped: ${done} purged, ${left} still waiting.`,
    failed: (done: string) => `Interrupted: ${done} purged so far.`,
  },
} as const;
