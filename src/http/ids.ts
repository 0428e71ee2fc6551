import { notFound } from '../problems/problem.ts';

/** The id that a text is; null for any other text. */
export function idIn(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** The id in a path. @throws {ProblemError} `not-found` for another text. */
export function parseId(text: string, what: string): number {
  const id = idIn(text);
  if (id === null) throw notFound(what, text.slice(0, 40));
  return id;
}
