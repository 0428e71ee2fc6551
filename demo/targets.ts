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
  /** Number of requests that it answers with 503 before it accepts any. */
  readonly refusesFirst: number;
  /** What the target demonstrates, for people. */
  readonly about: string;
}

/** A request to a target, expected or received. */
export interface Attempt {
  /** Null if the target responded without reading it. */
  readonly subtopic: Subtopic | null;
  /** From 1, of its message. */
  readonly attempt: number;
  readonly status: number;
}

export const TAKEN = 204;
export const UNAVAILABLE = 503;
export const UNAUTHORIZED = 401;

/** The default of the service. */
const DEFAULT_MAX_ATTEMPTS = 10;

/** The demo's webhooks. `secret` belongs to the one with credentials, `customer` is the focus of another. */
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
      about: 'accepts everything immediately',
    },
    {
      name: 'Search',
      topic: 'COURSE',
      subtopics: null,
      focus: null,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 2,
      about: 'fails twice, then recovers',
    },
    {
      name: 'Portal',
      topic: 'ACCOUNT_CONTENT',
      subtopics: null,
      focus: customer,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 0,
      about: 'receives events of one account: its webhook has a focus',
    },
    {
      name: 'Records',
      topic: 'REGISTRATION',
      subtopics: null,
      focus: null,
      credentials: null,
      maxAttempts: null,
      refusesFirst: 0,
      about: 'accepts everything immediately',
    },
    {
      name: 'Old billing',
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_CREATED'],
      focus: null,
      credentials: null,
      maxAttempts: 3,
      refusesFirst: Number.POSITIVE_INFINITY,
      about: 'always fails: 3 attempts, then the dead-letter queue',
    },
  ];
}

/** Maximum number of attempts before a message is dead-lettered. */
export function maxAttemptsOf({ maxAttempts }: Target): number {
  return maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
}

/** Whether the webhook of a target matches an event. */
function isFor({ focus, subtopics, topic }: Target, { account, subtopic }: Occurrence): boolean {
  return (subtopics ?? subtopicsOf(topic)).includes(subtopic) && (focus === null || focus.name === account);
}

/** The requests that a target should receive for these events, and the messages that it never accepts. */
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
 * The number of requests that a target receives without a pause: up to the first one that it refuses. Until that one is
 * retried, nothing else is sent.
 */
export function dueAtOnce(target: Target, events: readonly Occurrence[], arrived: number): number {
  const { attempts } = expectedOf(target, events);
  if (attempts[arrived - 1]?.status === UNAVAILABLE) return arrived;
  const refused = attempts.findIndex(({ status }, index) => index >= arrived && status !== TAKEN);
  return refused === -1 ? attempts.length : refused + 1;
}
