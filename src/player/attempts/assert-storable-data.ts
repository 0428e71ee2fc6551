import { MIB } from '../../bytes.ts';
import { ProblemError } from '../../problems/problem.ts';

/** Maximum length of a unit's data, as JSON. Standards add to stored data, so many small requests could exceed it. */
const MAX_LENGTH = 8 * MIB;
/** Maximum members and items in total. Parsing many small values takes longer than parsing one large text. */
const MAX_MEMBERS = 200_000;
/** In JSON, a code unit may be escaped (`\ud800`). */
const MOST_OF_A_CODE_UNIT = 6;
/** Quotation marks, a colon, a comma and brackets, or a number. */
const MOST_OF_THE_REST = 32;

/** @throws {ProblemError} `content-too-large` if a unit's data is too large to be read and written quickly */
export function assertStorableData(data: unknown): void {
  if (hasMoreMembers(data, MAX_MEMBERS)) {
    throw new ProblemError(
      'content-too-large',
      `A unit keeps at most ${MAX_MEMBERS} members and items of data together`,
    );
  }
  // Writing a megabyte of escapes takes 60 ms, and it is written once more for the database.
  if (mostCharacters(data) > MAX_LENGTH && JSON.stringify(data).length > MAX_LENGTH) {
    throw new ProblemError('content-too-large', `A unit keeps at most ${MAX_LENGTH} characters of data`);
  }
}

/** Whether data has more members and items, at all levels, than a limit. */
export function hasMoreMembers(data: unknown, limit: number): boolean {
  const open = [data];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const name in value) {
      count += 1;
      if (count > limit) return true;
      const member: unknown = value[name as keyof typeof value];
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return false;
}

/** The number of characters that the JSON of data cannot exceed. */
function mostCharacters(data: unknown): number {
  const open: unknown[] = [[data]];
  let most = MOST_OF_THE_REST;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const name in value) {
      const member: unknown = value[name as keyof typeof value];
      most += MOST_OF_A_CODE_UNIT * name.length + MOST_OF_THE_REST;
      if (typeof member === 'string') most += MOST_OF_A_CODE_UNIT * member.length;
      else if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return most;
}
