import { MIB } from '../../bytes.ts';
import type { Reader } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import type { AttemptWithState, UnitState } from './attempt.ts';
import { readAttemptSizes, readAttempts, readSomeUnits, readUnitSizes } from './attempt-store.ts';

/** Bytes of stored JSON on a page. A longer part has its own page. */
const PAGE_BYTES = MIB;
/** More units than any attempt has. A position in the history is a single number. */
const PLACES_PER_ATTEMPT = 1_000_000;

/** An attempt, or the part of it that is on a page. */
export type AttemptPart = Omit<AttemptWithState, 'page' | 'launchId'> & {
  /** The units of this page, in the order in which they were opened. */
  units: UnitState[];
};

/** The part of a history to read. */
export interface HistoryRequest extends PageRequest {
  order: 'asc' | 'desc';
}

/** The part of an attempt that is on a page. */
interface Selection {
  number: number;
  /** Whether the page contains the beginning of the attempt, which includes its state. */
  isBeginning: boolean;
  skippedUnits: number;
  units: number;
}

/**
 * Reads the attempts of a registration in the order of their numbers, with the units that were opened. The size of a
 * page is limited in bytes. It may end within an attempt; the next page continues that attempt, with `state` null.
 * @param request.limit the maximum number of attempts and units together
 */
export async function readAttemptHistory(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  request: HistoryRequest,
): Promise<Page<AttemptPart>> {
  const { selections, next } = await select(reader, registrationId, request);
  const attempts = await readAttempts(reader, registrationId, {
    numbers: selections.map(({ number }) => number),
    withState: selections.filter(({ isBeginning }) => isBeginning).map(({ number }) => number),
  });
  const items: AttemptPart[] = [];
  for (const { number, skippedUnits, units } of selections) {
    const attempt = attempts.find((each) => each.number === number);
    if (attempt === undefined) continue;
    items.push({
      ...attempt,
      units:
        units === 0
          ? []
          : await readSomeUnits(reader, registrationId, number, { offset: skippedUnits, limit: units }),
    });
  }
  return { items, next };
}

/** Selects the parts of a page by the sizes of the stored data. */
async function select(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { order, limit, after }: HistoryRequest,
): Promise<{ selections: Selection[]; next: number | null }> {
  const first = after === null ? null : Math.floor(after / PLACES_PER_ATTEMPT);
  const attempts = await readAttemptSizes(reader, registrationId, { order, from: first, limit: limit + 1 });
  const selections: Selection[] = [];
  let bytes = 0;
  let count = 0;
  const fits = (size: number) => {
    if (count >= limit || (bytes > 0 && bytes + size > PAGE_BYTES)) return false;
    count += 1;
    bytes += size;
    return true;
  };
  for (const { number, size } of attempts) {
    // The beginning of an attempt counts as its first part, and each unit as another.
    const skipped = number === first && after !== null ? after % PLACES_PER_ATTEMPT : 0;
    const isBeginning = skipped === 0;
    if (isBeginning && !fits(size)) return { selections, next: number * PLACES_PER_ATTEMPT };
    const selection = { number, isBeginning, skippedUnits: Math.max(0, skipped - 1), units: 0 };
    selections.push(selection);
    const sizes = await readUnitSizes(reader, registrationId, number, {
      offset: selection.skippedUnits,
      limit: limit - count + 1,
    });
    for (const unitSize of sizes) {
      if (!fits(unitSize)) {
        const given = 1 + selection.skippedUnits + selection.units;
        return { selections, next: number * PLACES_PER_ATTEMPT + given };
      }
      selection.units += 1;
    }
  }
  return { selections, next: null };
}
