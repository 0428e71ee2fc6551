import { isolate } from '../utilities/isolate.ts';
import { pageTitles } from './page-titles.ts';

/** Dead letters of all webhooks, and their redelivery. */
export const deadLetters = {
  title: pageTitles.deadLetters,
  description:
    'Messages of all webhooks that could not be delivered. You can redeliver them until they expire (dead_letter_days).',
  label: 'Dead letters',
  search: 'Search by webhook or message id',
  columns: {
    event: 'Event',
    webhook: 'Webhook',
    error: 'Last error',
    attempts: 'Attempts',
    given: 'Dead-lettered',
  },
  notTried: 'Not attempted',
  deleted: 'Deleted',
  inactive: 'Inactive',
  deletedWebhook: (id: number) => `Webhook ${id}`,
  onlyOf: (name: string) => `Only ${isolate(name)}`,
  showAll: 'Show all webhooks',
  open: (event: string, id: number) => `${event}, delivery ${id}`,
  resend: 'Redeliver',
  resendOf: (event: string, id: number) => `Redeliver: ${event}, delivery ${id}`,
  cannot: {
    deleted: 'The webhook was deleted, so there is no target to send it to.',
    inactive: 'The webhook is inactive and would discard the message. Activate it first.',
  },
  resent: 'The message was queued for redelivery.',
  empty: {
    title: 'No dead letters',
    description:
      'Messages appear here when all their delivery attempts have failed, or when someone moves them here.',
  },
  redelivery: {
    action: 'Redeliver all…',
    actionOfOne: 'Redeliver these…',
    title: 'Redeliver dead letters',
    ofOne: (name: string) =>
      `All dead letters of ${isolate(name)} are queued behind the waiting messages, in their original order. Messages that are dead-lettered from now on are not included.`,
    ofMatching: (name: string) =>
      `Messages of ${isolate(name)} that match the filters are queued behind the waiting messages, in their original order: dead letters or, if that outcome is chosen, discarded ones.`,
    ofAll:
      'The dead letters of all active webhooks are queued behind the waiting messages, in their original order for each webhook. Messages that are dead-lettered from now on are not included.',
    start: 'Redeliver all',
    progress: (done: string, total: string) => `${done} of ${total} queued`,
    progressLabel: 'Progress',
    more: (total: string) => `more than ${total}`,
    done: (done: string) => `Done: ${done} queued. They are being sent now.`,
    doneOne: 'Done: 1 message queued. It is being sent now.',
    none: 'No messages to redeliver.',
    stopped: (done: string, left: string) => `Stopped: ${done} queued, ${left} still dead letters.`,
    running: 'Queuing…',
  },
} as const;
