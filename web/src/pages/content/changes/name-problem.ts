import { MAX_NAME_LENGTH } from '../../../../../src/text-lengths.ts';
import { folders } from '../../../texts/content.ts';
import { lengthOf } from '../../../utilities/length-of.ts';

/** The problem with a name that can be found before it is sent. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '') return folders.nameRequired;
  return lengthOf(name.trim()) > MAX_NAME_LENGTH ? folders.nameLong : null;
}
