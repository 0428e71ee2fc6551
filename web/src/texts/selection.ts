import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';

/** Selected rows of lists, and what is done with many at once. */
export const selection = {
  column: 'Select',
  one: (name: string) => `Select ${isolate(name)}`,
  page: 'Select all on this page',
  all: (total: string) => `Select all ${total}`,
  first: (count: string) => `Select the first ${count}`,
  selecting: (count: string) => `Stop selecting (${count} so far)`,
  none: 'Clear selection',
  count: (count: string) => `${count} selected`,
  delete: 'Delete…',
  type: (count: string) => `Type ${count} to confirm`,
  mismatch: 'This is not the number of selected rows.',
  progress: 'Progress',
  failures: 'What failed',
  more: (count: string) => `and ${count} more`,
  retry: 'Try these again',
} as const;

/** The words of deleting many things of one kind. `one` and `many` are nouns: `account`, `accounts`. */
export function deletionOf(one: string, many: string) {
  const things = (count: number) => counted(count, one, many);
  return {
    title: (count: number, name: string | null) =>
      name === null ? `Delete ${things(count)}?` : `Delete ${isolate(name)}?`,
    confirm: (count: number) => `Delete ${things(count)}`,
    progress: (done: string, total: string) => `${done} of ${total} deleted`,
    done: (count: number) => `${things(count)} deleted.`,
    stopped: (done: string, left: string) => `Stopped: ${done} deleted, ${left} left.`,
    failed: (count: number) => `${things(count)} could not be deleted:`,
  };
}
