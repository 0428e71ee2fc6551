import { type InputError, MAX_ERRORS_REPORTED, pointerTo } from '../problems/problem.ts';

/** An object or a list that has not ended. */
interface Level {
  /** The names in an object so far; null for a list. */
  names: Set<string> | null;
  /** Where the text is in it: the member or the number of the item. Null before the name of a member. */
  at: string | number | null;
}

/** How many members the objects of a parsed JSON value have together. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += countMembers(member);
  return count;
}

/**
 * The members of a JSON text that an object has more than once. Parsers keep the last one, so that a request would not
 * mean what it says. The text must be valid JSON.
 */
export function repeatedMembers(json: string): InputError[] {
  const repeated = new Map<string, InputError>();
  const open: Level[] = [];
  for (let place = 0; place < json.length && repeated.size < MAX_ERRORS_REPORTED; place++) {
    const level = open.at(-1);
    switch (json[place]) {
      case '{':
        open.push({ names: new Set(), at: null });
        break;
      case '[':
        open.push({ names: null, at: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        level!.at = typeof level!.at === 'number' ? level!.at + 1 : null;
        break;
      case '"': {
        const end = endOfString(json, place);
        if (level !== undefined && level.names !== null && level.at === null) {
          level.at = JSON.parse(json.slice(place, end)) as string;
          if (level.names.has(level.at)) {
            const pointer = open.reduce((path, { at }) => pointerTo(path, at!), '');
            repeated.set(pointer, { pointer, detail: 'must be given only once' });
          }
          level.names.add(level.at);
        }
        place = end - 1;
      }
    }
  }
  return [...repeated.values()];
}

/** The position after the quote that ends a string. */
function endOfString(json: string, start: number): number {
  let place = start + 1;
  while (json[place] !== '"') place += json[place] === '\\' ? 2 : 1;
  return place + 1;
}
