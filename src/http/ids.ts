import { notFound } from '../problems/problem.ts';

/** The number in a path. @throws {ProblemError} `not-found` for an invalid id. */
export function parseId(text: string, what: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw notFound(what, text.slice(0, 40));
  return id;
}
