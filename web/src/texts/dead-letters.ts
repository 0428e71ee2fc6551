import { isolate } from '../utilities/isolate.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { counted } from './counted.ts';
import { pageTitles } from './page-titles.ts';

/** Dead letters of all webhooks, and their redelivery. */
export const deadLetters = {
  title: pageTitles.deadLetters,
  description:
    'Messages of all webhooks that could not be delivered. You can redeliver or remove them until they expire (dead_letter_days).',
  label: 'Dead letters',
  search: 'Search by webhook or message id',
  columns: {
    event: 'Event',
    webhook: 'Webhook',
    error: 'Last error',
    attempts: 'Attempts',
    occurred: 'Event occurred',
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
  searching: {
    title: 'No results so far',
    description: (searched: string) =>
      `Only ${searched} dead letters are searched at a time. There are older ones.`,
    action: 'Search older',
  },
  onlyOlder: 'Only older ones',
  showNewest: 'Show the newest',
  cannot: {
    deleted: 'The webhook was deleted, so there is no target to send it to.',
    inactive: 'The webhook is inactive and would discard the message. Activate it first.',
  },
  resent: 'The message was queued for redelivery.',
  notResent: 'The message was not sent, because it is no longer a dead letter.',
  skipped: (count: number) =>
    counted(
      count,
      'was skipped, because its outcome has changed.',
      'were skipped, because their outcomes have changed.',
    ),
  empty: {
    title: 'No dead letters',
    description:
      'Messages appear here when all their delivery attempts have failed, or when someone moves them here.',
  },
  resendTicked: 'Redeliver selected',
  removeTicked: 'Remove selected…',
  cannotResendTicked: 'The webhooks of the selected messages are inactive or deleted.',
  resentSome: (count: number) =>
    counted(count, 'message was queued for redelivery.', 'messages were queued for redelivery.'),
  removedSome: (count: number) => counted(count, 'dead letter was removed.', 'dead letters were removed.'),
  removal: {
    title: 'Remove dead letters?',
    confirm: 'Remove',
    description: (count: number) =>
      `${count === 1 ? 'The selected message is' : `${formatNumber(count)} selected messages are`} removed from the dead letters and not sent. The history of the webhook lists ${count === 1 ? 'it' : 'them'} as discarded, and you can redeliver ${count === 1 ? 'it' : 'them'} from there until the history expires.`,
  },
  runs: {
    redeliver: {
      action: 'Redeliver all…',
      actionOfOne: 'Redeliver these…',
      actionOfMatching: 'Redeliver matching…',
      title: 'Redeliver dead letters',
      ofOne: (name: string) =>
        `All dead letters of ${isolate(name)} are queued behind the waiting messages, in their original order. Messages that are dead-lettered from now on are not included.`,
      ofMatching: (name: string) =>
        `The dead letters of ${isolate(name)} that match the filters are queued behind the waiting messages, in their original order.`,
      ofHistory: (name: string) =>
        `Messages of ${isolate(name)} that match the filters are queued behind the waiting messages, in their original order: dead letters or, if that outcome is chosen, discarded ones.`,
      ofAllMatching:
        'The dead letters of all active webhooks that match the filters are queued behind the waiting messages, in their original order for each webhook.',
      ofAll:
        'The dead letters of all active webhooks are queued behind the waiting messages, in their original order for each webhook. Messages that are dead-lettered from now on are not included.',
      start: 'Redeliver all',
      startMatching: 'Redeliver matching',
      progress: (done: string, total: string) => `${done} of ${total} queued`,
      progressLabel: 'Progress',
      more: (total: string) => `more than ${total}`,
      none: 'No messages to redeliver.',
      done: (count: number) => `Done: ${counted(count, 'message', 'messages')} queued.`,
      stopped: (done: string, left: string) => `Stopped: ${done} queued, ${left} still dead letters.`,
      progressOfMatching: (done: string) => `${done} queued so far…`,
      stoppedMatching: (done: string) => `Stopped: ${done} queued. Other matches may be left.`,
      interrupted: (done: string) => `Interrupted: ${done} queued so far.`,
      running: 'Queuing…',
    },
    remove: {
      action: 'Remove all…',
      actionOfOne: 'Remove these…',
      actionOfMatching: 'Remove matching…',
      title: 'Remove dead letters',
      ofOne: (name: string) =>
        `All dead letters of ${isolate(name)} are removed and not sent. The history lists them as discarded, and you can redeliver them from there until the history expires.`,
      ofMatching: (name: string) =>
        `The dead letters of ${isolate(name)} that match the filters are removed and not sent. The history lists them as discarded, and you can redeliver them from there until the history expires.`,
      ofHistory: (name: string) =>
        `The dead letters of ${isolate(name)} that match the filters are removed and not sent. All other messages are not affected. The history lists the removed ones as discarded, and you can redeliver them from there until the history expires.`,
      ofAllMatching:
        'The dead letters of all webhooks that match the filters are removed and not sent. The histories of the webhooks list them as discarded, and you can redeliver them from there until the history expires.',
      ofAll:
        'The dead letters of all webhooks are removed and not sent. The histories of the webhooks list them as discarded, and you can redeliver them from there until the history expires.',
      start: 'Remove all',
      startMatching: 'Remove matching',
      progress: (done: string, total: string) => `${done} of ${total} removed`,
      progressLabel: 'Progress',
      more: (total: string) => `more than ${total}`,
      none: 'No dead letters to remove.',
      done: (count: number) =>
        count === 1 ? 'Done: 1 dead letter removed.' : `Done: ${formatNumber(count)} removed.`,
      stopped: (done: string, left: string) => `Stopped: ${done} removed, ${left} still dead letters.`,
      progressOfMatching: (done: string) => `${done} removed so far…`,
      stoppedMatching: (done: string) => `Stopped: ${done} removed. Other matches may be left.`,
      interrupted: (done: string) => `Interrupted: ${done} removed so far.`,
      running: 'Removing…',
    },
  },
} as const;
