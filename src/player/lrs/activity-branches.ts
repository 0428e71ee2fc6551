const SEPARATORS = ['/', '#', '?', ':'];

/**
 * Activities and all activities below them, whose ids extend theirs after a separator. An id is compared with only a few of
 * the others: courses have thousands of units, and statements thousands of activities.
 */
export class ActivityBranches {
  /** The ids, sorted. */
  readonly #ids: readonly string[];
  /** For each id, the place of the longest other one with which it begins; −1 if there is none. */
  readonly #beginnings: readonly number[];

  constructor(ids: readonly string[]) {
    // By code units, as `<` compares them.
    this.#ids = [...new Set(ids)].sort();
    this.#beginnings = beginningsOf(this.#ids);
  }

  /** Whether an activity is one of these, or below one. */
  include(activityId: string): boolean {
    // All ids with which it begins precede it, and the last id that precedes it begins with each of them.
    let place = this.#lastUpTo(activityId);
    const shared = sharedLength(this.#ids[place] ?? '', activityId);
    for (; place >= 0; place = this.#beginnings[place] ?? -1) {
      const { length } = this.#ids[place] ?? '';
      if (length <= shared && isAtBoundary(activityId, length)) return true;
    }
    return false;
  }

  /** The place of the last id that does not follow another one; −1 if there is none. */
  #lastUpTo(activityId: string): number {
    let from = 0;
    let to = this.#ids.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#ids[middle] ?? '') <= activityId) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}

function beginningsOf(sorted: readonly string[]): number[] {
  // The places of the ids with which the next one may begin, the shortest first.
  const open: number[] = [];
  return sorted.map((id, place) => {
    while (open.length > 0 && !id.startsWith(sorted[open.at(-1)!]!)) open.pop();
    const beginning = open.at(-1) ?? -1;
    open.push(place);
    return beginning;
  });
}

/** The number of code units that two texts share at their beginning. */
function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Whether an id ends at this place, or has a separator before or behind it. */
function isAtBoundary(id: string, place: number): boolean {
  return (
    place === id.length || SEPARATORS.includes(id[place - 1] ?? '') || SEPARATORS.includes(id[place] ?? '')
  );
}
