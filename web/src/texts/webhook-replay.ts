import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';

const messages = (count: number) => counted(count, 'message', 'messages');

/** Texts of replaying events to a webhook. */
export const webhookReplay = {
  action: 'Replay events…',
  activateAndReplay: 'Activate and replay…',
  title: 'Replay events',
  description: (name: string) =>
    `Sends ${isolate(name)} messages about the matching events that it missed. They are queued in order, behind the waiting messages.`,
  activates: 'The webhook is inactive. It is activated first, so new events are sent, too.',
  from: 'From',
  to: 'To',
  toDescription: 'Empty: until now',
  enterTime: 'Enter a date and a time',
  order: 'Must be earlier than the end',
  again: 'Also events that it got before',
  againDescription: 'They are sent again with the same webhook-id, so that receivers can recognize them.',
  counting: 'Counting…',
  found: (count: number, isLowerBound: boolean) =>
    isLowerBound
      ? `At least ${messages(count)} will be queued.`
      : count === 0
        ? 'The webhook missed no events in this period.'
        : `${messages(count)} will be queued.`,
  submit: 'Replay',
  activateAndSubmit: 'Activate and replay',
  running: (count: number) => `${messages(count)} queued so far…`,
  stopped: (count: number) =>
    `Stopped: ${messages(count)} queued. Later events in the period were not queued.`,
  failed: (count: number) => `${messages(count)} queued before this failure:`,
  done: (count: number) => `Done: ${messages(count)} queued.`,
} as const;
