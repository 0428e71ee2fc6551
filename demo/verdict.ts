import type { Occurrence } from './occurrence.ts';
import type { Arrival } from './postback.ts';
import { type Attempt, expectedOf, TAKEN, type Target } from './targets.ts';
import type { Standing } from './webhooks.ts';

/** The values to compare, by name. */
type Findings = Readonly<Record<string, boolean | number | readonly string[]>>;

/** A line for each of the first `due` requests of these events that a target should have received, but has not. */
export function missingOf(
  target: Target,
  events: readonly Occurrence[],
  arrivals: readonly Arrival[],
  due = Number.POSITIVE_INFINITY,
): string[] {
  const missing = expectedOf(target, events).attempts.slice(arrivals.length, due);
  return missing.map((attempt) => `${target.name}: missing is ${inWords(attempt)}`);
}

/** A line for each difference from what is expected after these events. */
export function faultsOf(
  standing: Standing,
  { events, arrivals }: { events: readonly Occurrence[]; arrivals: readonly Arrival[] },
): string[] {
  const { target } = standing.webhook;
  const expected = expectedOf(target, events);
  const wanted: Findings = {
    'the requests': expected.attempts.map(inWords),
    'the dead letters': expected.deadLetters,
    'the count of successes': expected.attempts.filter(({ status }) => status === TAKEN).length,
    'the count of errors': expected.attempts.filter(({ status }) => status !== TAKEN).length,
    'the error state': expected.attempts.at(-1)?.status !== TAKEN,
    'the acting user': expected.attempts.map(({ user }) => user),
    'the credentials': expected.attempts.map(() => (target.credentials === null ? 'none' : 'Basic')),
  };
  const found: Findings = {
    'the requests': arrivals.map(inWords),
    'the dead letters': standing.deadLetters.map((deadLetter) => deadLetter.subtopic),
    'the count of successes': standing.success_count,
    'the count of errors': standing.error_count,
    'the error state': standing.in_error,
    'the acting user': arrivals.map(({ message }) => message?.user ?? 'unknown'),
    'the credentials': arrivals.map(({ headers }) => headers.authorization?.split(' ', 1)[0] ?? 'none'),
  };
  return Object.keys(wanted)
    .filter((what) => JSON.stringify(wanted[what]) !== JSON.stringify(found[what]))
    .map(
      (what) =>
        `${target.name}: ${what} should be ${textOf(wanted[what]!)}, but found ${textOf(found[what]!)}`,
    );
}

function inWords({ subtopic, attempt, status }: Attempt): string {
  return `${subtopic ?? 'a message not read'}, attempt ${attempt}, answered with ${status}`;
}

function textOf(value: Findings[string]): string {
  return Array.isArray(value) ? `[${value.join('; ')}]` : String(value);
}
