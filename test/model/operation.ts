import assert from 'node:assert/strict';
import type { ModelEvent } from './content-model.ts';
import type { CallAnswer, Caller } from './installation.ts';

/** Asks the service for something as a caller; POSTs carry an `Idempotency-Key`. */
export type Call = (method: string, path: string, body?: unknown) => Promise<CallAnswer>;

/** Something that a caller does with content, accounts or registrations. */
export interface ContentOperation {
  what: string;
  /** What it changes, and what its events tell of: operations that share none of it may run at once. Null: only alone. */
  concerns: { changes: string[]; reads: string[] } | null;
  /** Does it, asserts its answer, changes the model, and returns the events that have to come of it. */
  run(call: Call, user: Caller['email']): Promise<ModelEvent[]>;
}

/** Asserts the status of an answer. */
export function answered(answer: CallAnswer, status: number): CallAnswer {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
}

/** The record that was made. */
// biome-ignore lint/suspicious/noExplicitAny: records of every shape.
export function created(answer: CallAnswer): any {
  return answered(answer, 201).body;
}

/** Whoever repeats a deletion that was cut off may find that it has happened. */
export function deleted(answer: CallAnswer): void {
  const isGone = answer.status === 404 && answer.wasRepeated;
  assert.ok(answer.status === 204 || isGone, `${answer.status} ${JSON.stringify(answer.body)}`);
}
