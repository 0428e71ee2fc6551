import Papa from 'papaparse';
import { MAX_LEARNER_ID_LENGTH } from '../../../../../src/text-lengths.ts';
import { registrations } from '../../../texts/registrations.ts';
import { textOf } from '../../../utilities/exported-text.ts';

const { faults } = registrations.many;
const DELIMITERS = [',', ';', '\t'];
const HEADERS = new Set(['learner_id', 'learner id', 'learner']);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the service refuses in an id
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;
/** Programs write it in place of a letter that they cannot read. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** A learner of a list. */
export interface LearnerRow {
  /** Counted from 1, including the header. */
  row: number;
  id: string;
}

/** An invalid row. */
export interface FaultyRow extends LearnerRow {
  fault: string;
}

/** The content of a list of learners. Empty rows at its end are ignored. */
export interface LearnerRows {
  learners: LearnerRow[];
  faulty: FaultyRow[];
}

/**
 * Reads learner ids: one per line, or CSV (with commas, semicolons or tabs) with a column `learner_id` in its header. A
 * repeated id is an error, because registering a learner twice is probably a mistake. CSV may be an exported list.
 */
export function readLearnerRows(text: string): LearnerRows {
  const rows = rowsOf(text.replace(/^\ufeff/, '').trimEnd());
  const learners: LearnerRow[] = [];
  const faulty: FaultyRow[] = [];
  const rowOfId = new Map<string, number>();
  for (const { row, id, isSplit } of rows) {
    const fault = faultOf(id, isSplit, rowOfId.get(id));
    if (fault === null) {
      learners.push({ row, id });
      rowOfId.set(id, row);
    } else {
      faulty.push({ row, id, fault });
    }
  }
  return { learners, faulty };
}

function faultOf(id: string, isSplit: boolean, earlier: number | undefined): string | null {
  if (isSplit) return faults.columns;
  if (id === '') return faults.empty;
  if (CONTROL_CHARACTERS.test(id)) return faults.characters;
  if (id.includes(REPLACEMENT_CHARACTER)) return faults.unreadable;
  if ([...id].length > MAX_LEARNER_ID_LENGTH) return faults.tooLong(MAX_LEARNER_ID_LENGTH);
  return earlier === undefined ? null : faults.repeated(earlier);
}

interface Row extends LearnerRow {
  /** Whether the text may be CSV with unknown columns. */
  isSplit: boolean;
}

function rowsOf(text: string): Row[] {
  if (text === '') return [];
  const { data } = Papa.parse<string[]>(text, { delimitersToGuess: DELIMITERS });
  const column = (data[0] ?? []).findIndex((name) => HEADERS.has(name.trim().toLowerCase()));
  if (column >= 0) {
    return data.slice(1).map((cells, index) => ({
      row: index + 2,
      id: textOf(cells[column] ?? '').trim(),
      isSplit: false,
    }));
  }
  return text.split(/\r\n|\r|\n/).map((line, index) => {
    const id = line.trim();
    return { row: index + 1, id, isSplit: DELIMITERS.some((delimiter) => id.includes(delimiter)) };
  });
}
