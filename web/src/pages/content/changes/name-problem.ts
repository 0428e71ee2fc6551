import { MAX_NAME_LENGTH } from '../../../../../src/text-lengths.ts';
import { folders } from '../../../texts/content.ts';

/** What is wrong with a name, as far as that is known before it is sent. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '') return folders.nameRequired;
  return Array.from(name.trim()).length > MAX_NAME_LENGTH ? folders.nameLong : null;
}
