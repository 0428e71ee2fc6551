import type { Reader } from '../../database/database.ts';
import type { Firing } from '../firing.ts';
import { readNewestFirings, readOpenFirings } from './firing-store.ts';

/** The firings of a rule, as far as they decide what begins and what ends. */
export interface KnownFirings {
  open: readonly Firing[];
  /** The id of the newest one, open or ended; 0 if there is none. */
  newestId: number;
}

/** The firings of a rule or of all rules, by the id of the rule. */
export async function readKnownFirings(
  reader: Pick<Reader, 'query'>,
  ruleId?: number,
): Promise<(ruleId: number) => KnownFirings> {
  const newest = await readNewestFirings(reader, ruleId);
  const open = Map.groupBy(await readOpenFirings(reader, ruleId), (firing) => firing.ruleId);
  return (id) => ({ open: open.get(id) ?? [], newestId: newest.get(id) ?? 0 });
}

/** Whether nobody has begun, cleared, continued or ended a firing in between. */
export function isUnchanged(before: KnownFirings, now: KnownFirings): boolean {
  return (
    before.newestId === now.newestId &&
    before.open.length === now.open.length &&
    before.open.every((firing, place) => isSameState(firing, now.open[place]))
  );
}

function isSameState(before: Firing, now: Firing | undefined): boolean {
  return before.id === now?.id && before.clearedAt === now.clearedAt && before.relapses === now.relapses;
}
