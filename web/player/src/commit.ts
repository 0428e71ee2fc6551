import type { Splice } from '../../../src/player/scorm/cmi.ts';
import type { KnownText } from './known-text.ts';
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
 * The commit, unchanged if it is small enough. Otherwise, suspend data is sent as changes to each text that the server
 * may have. If that is still too large, members that did not change in any earlier commit are omitted.
 * @param options.texts the suspend data of which the server may have any
 * @param options.sent the commits of which the server may have any
 * @param options.isAcknowledged whether the server must have one of these
 * @param options.most how many bytes are small enough
 */
export function smallest(
  commit: Commit,
  {
    texts,
    sent,
    isAcknowledged,
    most,
  }: { texts: readonly KnownText[]; sent: readonly Commit[]; isAcknowledged: boolean; most: number },
): string {
  const whole = JSON.stringify(commit);
  const { suspend_data: after, ...others } = commit.cmi ?? {};
  if (fits(whole, most) || typeof after !== 'string' || texts.length > MOST_SPLICES) return whole;
  const splices = texts.map((before) => before.changeTo(after));
  const change: Commit = { ...commit, cmi: others, isChange: true, splices };
  const text = JSON.stringify(change);
  if (fits(text, most) || !isAcknowledged) return text;
  const changed = Object.entries(others).filter(([name, value]) => {
    const now = JSON.stringify(value);
    return sent.some((each) => JSON.stringify(each.cmi?.[name]) !== now);
  });
  const smaller: Commit = { ...change, cmi: Object.fromEntries(changed) };
  const smallerText = JSON.stringify(smaller);
  if (fits(smallerText, most)) return smallerText;
  const { state: _state, ...withoutState } = smaller;
  return JSON.stringify(withoutState);
}

/** Whether a text has at most this many bytes. A page that is being closed has no time to count those of a long one. */
function fits(text: string, most: number): boolean {
  return text.length <= most && byteLength(text) <= most;
}

/** The suspend data of a commit; empty without any. */
export function suspendDataOf({ cmi }: Partial<Snapshot>): string {
  return typeof cmi?.suspend_data === 'string' ? cmi.suspend_data : '';
}
