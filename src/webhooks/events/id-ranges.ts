/**
 * Sets of ids as text, such as `3,7-9`. An id takes a few characters, and a range of consecutive ids takes no more
 * than two.
 */

/** @param ids ascending and distinct */
export function formatIds(ids: readonly number[]): string {
  const ranges: string[] = [];
  for (let from = 0; from < ids.length; ) {
    let to = from;
    while (ids[to + 1] === ids[to]! + 1) to += 1;
    ranges.push(to === from ? `${ids[from]}` : `${ids[from]}-${ids[to]}`);
    from = to + 1;
  }
  return ranges.join(',');
}

/** The ids in such a text, ascending. */
export function parseIds(text: string): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });
}
