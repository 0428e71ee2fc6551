/** Characters of a course's name. */
const NAME_CHARACTERS = 200;
const UNTITLED = 'Untitled course';

/** Derives the name of a course from the title of its package: one line, not blank, within the maximum length. */
export function courseNameFrom(title: string): string {
  const characters = Array.from(
    title
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  );
  if (characters.length === 0) return UNTITLED;
  if (characters.length <= NAME_CHARACTERS) return characters.join('');
  return `${characters.slice(0, NAME_CHARACTERS - 1).join('')}…`;
}
