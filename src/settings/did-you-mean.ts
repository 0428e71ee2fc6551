const MAX_COMPARED_LENGTH = 64;

/** The one of `names` that `given` most likely misspells, or undefined if none is similar. */
export function didYouMean(given: string, names: readonly string[]): string | undefined {
  const word = inSnakeCase(given.slice(0, MAX_COMPARED_LENGTH));
  let best: string | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  for (const name of names) {
    const distance = editDistance(word, inSnakeCase(name));
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function inSnakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[-.\s]/g, '_');
}

/** Levenshtein distance: the number of characters to insert, delete or replace to turn one text into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
