import { oneLine } from '../../course-packages/standards/title-text.ts';
import { MAX_NAME_LENGTH } from '../../text-lengths.ts';

const UNTITLED = 'Untitled course';

/** Derives the name of a course from the title of its package: one line, not blank, within the maximum length. */
export function courseNameFrom(title: string): string {
  return oneLine(title, MAX_NAME_LENGTH) || UNTITLED;
}
