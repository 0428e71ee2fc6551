import { formatNumber } from '../utilities/numbers.ts';

/**
 * A count with its noun: `1 course`, `12,345 courses`, `more than 10,000 courses`.
 * @param isMore whether there are more than were counted
 */
export function counted(count: number, one: string, many: string, isMore = false): string {
  return `${isMore ? 'more than ' : ''}${formatNumber(count)} ${count === 1 && !isMore ? one : many}`;
}
