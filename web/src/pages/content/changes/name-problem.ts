import { MAX_NAME_LENGTH } from '../../../../../src/text-lengths.ts';
import { folders } from '../../../texts/content.ts';

/** The problem with a name that can be found before it is sent. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '') return folders.nameRequired;
  return Array.from(name.trim()).length > MAX_NAME_LENGTH ? folders.nameLong : null;
}
