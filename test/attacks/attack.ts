import assert from 'node:assert/strict';
import type { Answer } from '../support/service.ts';

/** An attack that once blocked the service. It can be repeated. */
export interface Attack {
  name: string;
  /** Whether the service rejects the form of the request, so that it makes only the queries of any request. */
  stopsBeforeDatabase?: boolean;
  /** The name of an attack that makes the same queries with rows of about the same size. On PostgreSQL, that one is enough. */
  queriesLike?: string;
  perform(): Promise<unknown>;
}

/** A request that waited too long for the database, as on an overloaded machine, may be repeated. */
const UNAVAILABLE = 503;

/** Fails unless the response has one of these statuses, or the database was too slow. */
export function assertStatus(answer: Pick<Answer, 'status' | 'body'>, ...statuses: readonly number[]): void {
  const text = typeof answer.body === 'string' ? answer.body : (JSON.stringify(answer.body) ?? '');
  assert.ok([...statuses, UNAVAILABLE].includes(answer.status), `${answer.status}: ${text.slice(0, 500)}`);
}

/** Calls a function many times with limited concurrency. */
export async function manyTimes(
  count: number,
  atOnce: number,
  perform: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let n = next++; n < count; n = next++) await perform(n);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
