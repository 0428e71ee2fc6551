import type { Splice } from '../../../src/player/scorm/cmi.ts';
import { textDigest } from '../../../src/player/scorm/text-digest.ts';
import type { Snapshot } from './scorm-session.ts';
import { byteLength } from './server.ts';

/** The data of a unit with a runtime. An asset has only the data that all units share. */
export interface Commit extends Partial<Snapshot> {
  unit: string;
  page: number;
  visit: number;
  sequence: number;
  isChange?: boolean;
  splices?: Splice[];
}

/** The service accepts at most this many. */
export const MOST_SPLICES = 16;

/**
 * The commit, unchanged if it is small enough. Otherwise, suspend data is sent as changes: to the text that the page
 * began with, and to each text sent since. It is unknown which of these the server has. If that is still too large,
 * members that did not change in any of those writes are omitted.
 * @param options.began the suspend data before the first commit
 * @param options.sent the commits of which the server may have any
 * @param options.isAcknowledged whether the server must have one of these
 * @param options.most how many bytes are small enough
 */
export function smallest(
  commit: Commit,
  {
    began,
    sent,
    isAcknowledged,
    most,
  }: { began: string; sent: readonly Commit[]; isAcknowledged: boolean; most: number },
): string {
  const whole = JSON.stringify(commit);
  const { suspend_data: after, ...others } = commit.cmi ?? {};
  const texts = new Set([...(isAcknowledged ? [] : [began]), ...sent.map(suspendDataOf)]);
  if (byteLength(whole) <= most || typeof after !== 'string' || texts.size > MOST_SPLICES) {
    return whole;
  }
  const splices = [...texts].map((before) => spliceOf(before, after));
  const change: Commit = { ...commit, cmi: others, isChange: true, splices };
  const text = JSON.stringify(change);
  if (byteLength(text) <= most || !isAcknowledged) return text;
  const changed = Object.entries(others).filter(([name, value]) => {
    const now = JSON.stringify(value);
    return sent.some((each) => JSON.stringify(each.cmi?.[name]) !== now);
  });
  const smaller: Commit = { ...change, cmi: Object.fromEntries(changed) };
  const smallerText = JSON.stringify(smaller);
  if (byteLength(smallerText) <= most) return smallerText;
  const { state: _state, ...withoutState } = smaller;
  return JSON.stringify(withoutState);
}

/** The suspend data of a commit; empty without any. */
export function suspendDataOf({ cmi }: Partial<Snapshot>): string {
  return typeof cmi?.suspend_data === 'string' ? cmi.suspend_data : '';
}

/** The common start and end of two texts, and the part of the second text between them. */
function spliceOf(before: string, after: string): Splice {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  // A lone surrogate would be lost in UTF-8.
  if (start > 0 && /[\uD800-\uDBFF]/.test(before[start - 1] ?? '')) start--;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (end > 0 && /[\uDC00-\uDFFF]/.test(before[before.length - end] ?? '')) end--;
  return { of: textDigest(before), start, end, text: after.slice(start, after.length - end) };
}
