import type { Splice } from '../../../src/player/scorm/cmi.ts';
import { textDigest } from '../../../src/player/scorm/text-digest.ts';

/** A text that the service may have, so that the changes to it are enough. */
export class KnownText {
  readonly text: string;
  #digest: string | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** Computed once: for a megabyte it takes 30 ms, and ten times as long on a slow device. */
  get digest(): string {
    this.#digest ??= textDigest(this.text);
    return this.#digest;
  }

  /** The change that makes another text of this one: the part between their common start and end. */
  changeTo(after: string): Splice {
    const before = this.text;
    const most = Math.min(before.length, after.length);
    let start = commonLength(most, (from, to) => before.startsWith(after.slice(from, to), from));
    // A lone surrogate would be lost in UTF-8.
    if (start > 0 && /[\uD800-\uDBFF]/.test(before[start - 1] ?? '')) start--;
    let end = commonLength(most - start, (from, to) =>
      before.endsWith(after.slice(after.length - to, after.length - from), before.length - from),
    );
    if (end > 0 && /[\uDC00-\uDFFF]/.test(before[before.length - end] ?? '')) end--;
    return { of: this.digest, start, end, text: after.slice(start, after.length - end) };
  }
}

/**
 * How many characters two texts have in common. The browser compares long parts many times faster than a loop does.
 * @param most the maximum
 * @param isCommon whether a part is the same in both texts
 */
function commonLength(most: number, isCommon: (from: number, to: number) => boolean): number {
  let common = 0;
  for (let differs = most + 1; common + 1 < differs; ) {
    const to = Math.floor((common + differs) / 2);
    if (isCommon(common, to)) common = to;
    else differs = to;
  }
  return common;
}
