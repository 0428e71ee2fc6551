import { type Subtopic, subtopicsOf, type Topic } from '../src/events/catalogue.ts';
import type { Occurrence } from './occurrence.ts';

/** An account of the demo. */
export interface DemoAccount {
  readonly id: number;
  readonly name: string;
}

/** A webhook of the demo, and the system that it calls. */
export interface Target {
  /** The webhook's name. */
  readonly name: string;
  readonly topic: Topic;
  /** Null: all of the topic. */
  readonly subtopics: readonly Subtopic[] | null;
  /** The account on which its webhook is focused; null: every one. */
  readonly focus: DemoAccount | null;
  /** The Basic credentials that the webhook sends and the receiver checks. */
  readonly credentials: { readonly key: string; readonly secret: string } | null;
  /** Null: the service's default. */
  readonly maxAttempts: number | null;
  /** How many requests it answers with 503 before it takes any. */
  readonly refusesFirst: number;
  /** What there is to see, for people. */
  readonly about: string;
}

/** A request that a target gets, as it should be or as it was. */
export interface Attempt {
  /** Null where the target answered without reading it. */
  readonly subtopic: Subtopic | null;
  /** From 1, of its message. */
  readonly attempt: number;
  readonly status: number;
}

export const TAKEN = 204;
export const UNAVAILABLE = 503;
export const UNAUTHORIZED = 401;

/** What the service does where a webhook says nothing. */
const DEFAULT_MAX_ATTEMPTS = 10;

/** The demo's webhooks. `secret` is what the one with credentials sends, `customer` whom another is focused on. */
export function demoTargets({ secret, customer }: { secret: string; customer: DemoAccount }): Target[] {
  return [
    {
      name: 'CRM',
      topic: 'ACCOUNT',
      subtopics: null,
      focus: null,
      credentials: { key: 'crm', secret },
      maxAttempts: null,
      refusesFirst: 0,
      about: 'checks HTTP Basic credentials',
    },
    {
      name: 'Catalogue',
      topic: 'COURSE',
      subtopics: null,
      focus: null,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 0,
      about: 'takes everything at once',
    },
    {
      name: 'Search',
      topic: 'COURSE',
      subtopics: null,
      focus: null,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 2,
      about: 'is down for two requests, then back',
    },
    {
      name: 'Portal',
      topic: 'ACCOUNT_CONTENT',
      subtopics: null,
      focus: customer,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 0,
      about: 'asks for one account only: its webhook has a focus',
    },
    {
      name: 'Records',
      topic: 'REGISTRATION',
      subtopics: null,
      focus: null,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 0,
      about: 'takes everything at once',
    },
    {
      name: 'Old billing',
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_CREATED'],
      focus: null,
      credentials: null,
      maxAttempts: 3,
      refusesFirst: Number.POSITIVE_INFINITY,
      about: 'is gone for good: 3 attempts, then the dead-letter queue',
    },
  ];
}

/** How often a message is tried before it goes to the dead-letter queue. */
export function maxAttemptsOf({ maxAttempts }: Target): number {
  return maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
}

/** Whether a target's webhook is to tell of an event. */
function isFor({ focus, subtopics, topic }: Target, { account, subtopic }: Occurrence): boolean {
  return (subtopics ?? subtopicsOf(topic)).includes(subtopic) && (focus === null || focus.name === account);
}

/** What a target is to get when these events occur, request by request, and which messages it never takes. */
export function expectedOf(
  target: Target,
  events: readonly Occurrence[],
): { attempts: (Attempt & { user: string })[]; deadLetters: Subtopic[] } {
  const attempts: (Attempt & { user: string })[] = [];
  const deadLetters: Subtopic[] = [];
  for (const { subtopic, user } of events.filter((event) => isFor(target, event))) {
    for (let attempt = 1; ; attempt += 1) {
      const isTaken = attempts.length >= target.refusesFirst;
      attempts.push({ subtopic, user, attempt, status: isTaken ? TAKEN : UNAVAILABLE });
      if (isTaken) break;
      if (attempt < maxAttemptsOf(target)) continue;
      deadLetters.push(subtopic);
      break;
    }
  }
  return { attempts, deadLetters };
}

/**
 * How many requests a target has had once it got all that comes without a pause: up to the first one that it
 * refuses. While it waits for such a one to come again, nothing else comes.
 */
export function dueAtOnce(target: Target, events: readonly Occurrence[], arrived: number): number {
  const { attempts } = expectedOf(target, events);
  if (attempts[arrived - 1]?.status === UNAVAILABLE) return arrived;
  const refused = attempts.findIndex(({ status }, index) => index >= arrived && status !== TAKEN);
  return refused === -1 ? attempts.length : refused + 1;
}
