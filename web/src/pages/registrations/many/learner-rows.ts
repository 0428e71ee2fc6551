import Papa from 'papaparse';
import { MAX_LEARNER_ID_LENGTH } from '../../../../../src/text-lengths.ts';
import { registrations } from '../../../texts/registrations.ts';
import { textOf } from '../../../utilities/exported-text.ts';
import { lengthOf } from '../../../utilities/length-of.ts';

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
  for (const { row, id, splitFault } of rows) {
    const fault = splitFault ?? faultOf(id, rowOfId.get(id));
    if (fault === null) {
      learners.push({ row, id });
      rowOfId.set(id, row);
    } else {
      faulty.push({ row, id, fault });
    }
  }
  return { learners, faulty };
}

function faultOf(id: string, earlier: number | undefined): string | null {
  if (id === '') return faults.empty;
  if (CONTROL_CHARACTERS.test(id)) return faults.characters;
  if (id.includes(REPLACEMENT_CHARACTER)) return faults.unreadable;
  if (lengthOf(id) > MAX_LEARNER_ID_LENGTH) return faults.tooLong(MAX_LEARNER_ID_LENGTH);
  return earlier === undefined ? null : faults.repeated(earlier);
}

interface Row extends LearnerRow {
  /** Why its cells are unclear; null if they are clear. */
  splitFault: string | null;
}

function rowsOf(text: string): Row[] {
  if (text === '') return [];
  const { data } = Papa.parse<string[]>(text, { delimitersToGuess: DELIMITERS });
  const [header = []] = data;
  const column = header.findIndex((name) => HEADERS.has(name.trim().toLowerCase()));
  if (column >= 0) {
    return data.slice(1).map((cells, index) => {
      // Without quotes, a separator in a value cuts it. Spreadsheets add empty cells at the end of a row.
      const isCut = cells.slice(header.length).some((cell) => cell.trim() !== '');
      return {
        row: index + 2,
        id: textOf(cells[column] ?? '').trim(),
        splitFault: isCut ? faults.cells : null,
      };
    });
  }
  return text.split(/\r\n|\r|\n/).map((line, index) => {
    const id = line.trim();
    const isSplit = DELIMITERS.some((delimiter) => id.includes(delimiter));
    return { row: index + 1, id, splitFault: isSplit ? faults.columns : null };
  });
}
