import { isolate } from '../utilities/isolate.ts';

/** Messages that were given up, of all webhooks, and sending them again. */
export const deadLetters = {
  title: 'Dead letters',
  description:
    'Messages that could not be delivered, of all webhooks. They can be sent again as long as they are kept (dead_letter_days).',
  label: 'Dead letters',
  search: 'Search by webhook, or by message id',
  columns: {
    event: 'Event',
    webhook: 'Webhook',
    error: 'Last error',
    attempts: 'Attempts',
    given: 'Given up',
  },
  notTried: 'Never tried',
  deleted: 'Deleted',
  inactive: 'Inactive',
  deletedWebhook: (id: number) => `Webhook ${id}`,
  onlyOf: (name: string) => `Only of ${isolate(name)}`,
  showAll: 'Show all webhooks',
  open: (event: string, id: number) => `${event}, delivery ${id}`,
  resend: 'Send again',
  resendOf: (event: string, id: number) => `Send again: ${event}, delivery ${id}`,
  cannot: {
    deleted: 'The webhook was deleted: there is nowhere to send it.',
    inactive: 'The webhook is inactive and would discard it. Activate it first.',
  },
  resent: 'The message waits to be sent again.',
  empty: {
    title: 'No dead letters',
    description: 'Messages whose delivery failed too often, or that were given up by hand, are listed here.',
  },
  redelivery: {
    action: 'Send all again…',
    actionOfOne: 'Send these again…',
    title: 'Send dead letters again',
    ofOne: (name: string) =>
      `All dead letters of ${isolate(name)} are put behind the messages that wait, in their order. What is dead-lettered from now on is left alone.`,
    ofAll:
      'The dead letters of all active webhooks are put behind the messages that wait, in their order within each webhook. What is dead-lettered from now on is left alone.',
    start: 'Send all again',
    stop: 'Stop',
    close: 'Close',
    goOn: 'Go on',
    progress: (done: string, total: string) => `${done} of ${total} put in line`,
    progressLabel: 'Progress',
    more: (total: string) => `more than ${total}`,
    done: (done: string) => `Done: ${done} put in line. They are being sent now.`,
    doneOne: 'Done: 1 message put in line. It is being sent now.',
    none: 'There was nothing to send again.',
    stopped: (done: string, left: string) => `Stopped: ${done} put in line, ${left} left as they are.`,
    running: 'Putting them in line…',
  },
} as const;
