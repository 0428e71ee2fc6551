import { folders } from '../../../texts/content.ts';

/** The limit of the API. */
export const MAX_NAME_LENGTH = 200;

/** What is wrong with a name, as far as that is known before it is sent. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '') return folders.nameRequired;
  return Array.from(name.trim()).length > MAX_NAME_LENGTH ? folders.nameLong : null;
}
