import assert from 'node:assert/strict';
import type { ModelEvent } from './content-model.ts';
import type { CallAnswer, Caller } from './installation.ts';

/** Calls the service as a caller; POSTs carry an `Idempotency-Key`. */
export type Call = (method: string, path: string, body?: unknown) => Promise<CallAnswer>;

/** An operation of a caller on content, accounts or registrations. */
export interface ContentOperation {
  what: string;
  /** The objects of its changes and events. Operations that share none may run at the same time. Null: it must run alone. */
  concerns: { changes: string[]; reads: string[] } | null;
  /** Runs it, asserts the response, changes the model, and returns the expected events. */
  run(call: Call, user: Caller['email']): Promise<ModelEvent[]>;
}

/** Asserts the status of a response. */
export function answered(answer: CallAnswer, status: number): CallAnswer {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
}

/** The record that was created. */
// biome-ignore lint/suspicious/noExplicitAny: records of every shape.
export function created(answer: CallAnswer): any {
  return answered(answer, 201).body;
}

/** A repeated deletion may find that the interrupted one has happened. */
export function deleted(answer: CallAnswer): void {
  const isGone = answer.status === 404 && answer.wasRepeated;
  assert.ok(answer.status === 204 || isGone, `${answer.status} ${JSON.stringify(answer.body)}`);
}
