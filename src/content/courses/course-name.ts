/** Characters of a course's name. */
const NAME_CHARACTERS = 200;
const UNTITLED = 'Untitled course';

/** A name for the course that a package's title gives: one line, not blank, no longer than names are. */
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
