import assert from 'node:assert/strict';
import type { Answer } from '../support/service.ts';

/** Something that once kept the service from answering others. It may be done again and again. */
export interface Attack {
  name: string;
  /** Whether the service refuses it for its form, so that its queries are those of any request. */
  stopsBeforeDatabase?: boolean;
  perform(): Promise<unknown>;
}

/** A request that waited too long for the database, as on a machine that is far too busy, may be made again. */
const UNAVAILABLE = 503;

/** Fails unless an answer has one of these statuses, or the database was too slow. */
export function assertStatus(answer: Pick<Answer, 'status' | 'body'>, ...statuses: readonly number[]): void {
  const text = typeof answer.body === 'string' ? answer.body : (JSON.stringify(answer.body) ?? '');
  assert.ok([...statuses, UNAVAILABLE].includes(answer.status), `${answer.status}: ${text.slice(0, 500)}`);
}

/** Does something many times, some of them at a time. */
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
