import { type InputError, invalidInput } from '../problems/problem.ts';
import { INVALID_DATE_TIME, parseDateTime } from '../time/date-time.ts';

/** The times of a query. @throws {ProblemError} `invalid-request` naming each invalid one */
export function parsePeriod(query: { from_dt?: string | undefined; to_dt?: string | undefined }): {
  from: number | null;
  to: number | null;
} {
  const errors: InputError[] = [];
  const parse = (name: 'from_dt' | 'to_dt') => {
    const text = query[name];
    if (text === undefined) return null;
    const time = parseDateTime(text);
    if (time === null)
      errors.push({
        pointer: `/query/${name}`,
        detail: INVALID_DATE_TIME,
      });
    return time;
  };
  const period = { from: parse('from_dt'), to: parse('to_dt') };
  if (errors.length > 0) throw invalidInput(errors);
  return period;
}
