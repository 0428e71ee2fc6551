import { notFound } from '../problems/problem.ts';

/** The number in a path. @throws {ProblemError} `not-found`: what is no id names nothing. */
export function parseId(text: string, what: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw notFound(what, text.slice(0, 40));
  return id;
}
