import type { PiecewiseText } from '../text-decoding.ts';

/** Programs of DOS end a text file with this character, and some fill its last block with it. */
const END_OF_FILE = '\x1a';

/**
 * The members of one section of an AICC description (`.crs`), by lower-case name: `[Course]`, `Course_Title = …`.
 *
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 */
export function parseSection(text: PiecewiseText, section: string): Map<string, string> {
  const members = new Map<string, string>();
  let inSection = false;
  for (const line of lines(text)) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) inSection = trimmed.toLowerCase() === `[${section.toLowerCase()}]`;
    const equals = trimmed.indexOf('=');
    if (inSection && equals > 0 && !trimmed.startsWith(';')) {
      members.set(trimmed.slice(0, equals).trim().toLowerCase(), trimmed.slice(equals + 1).trim());
    }
  }
  return members;
}

function* lines(text: PiecewiseText): Generator<string> {
  let rest = '';
  for (const piece of piecesOf(text)) {
    const [first = '', ...more] = piece.split(/[\r\n]/);
    rest += first;
    for (const line of more) {
      yield rest;
      rest = line;
    }
  }
  yield rest;
}

/** The pieces of a text without the {@link END_OF_FILE} characters at its end. */
function* piecesOf(text: PiecewiseText): Generator<string> {
  let held = 0;
  for (const piece of text.pieces()) {
    let end = piece.length;
    while (end > 0 && piece[end - 1] === END_OF_FILE) end -= 1;
    if (end > 0) {
      yield END_OF_FILE.repeat(held) + piece.slice(0, end);
      held = 0;
    }
    held += piece.length - end;
  }
}

/**
 * A row of an AICC table, its fields by lower-case column name, trimmed. A large table has rows by the hundred thousand, so
 * they share the map of its columns.
 */
export class TableRow {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #fields: readonly string[];

  constructor(columns: ReadonlyMap<string, number>, fields: readonly string[]) {
    this.#columns = columns;
    this.#fields = fields;
  }

  /** Undefined if the table has no such column. */
  get(column: string): string | undefined {
    const index = this.#columns.get(column);
    return index === undefined ? undefined : (this.#fields[index] ?? '');
  }
}

/** Maximum length of a field; the standard allows 4,096. */
const FIELD_CHARACTERS = 65_536;

/**
 * The rows of an AICC table (`.au`, `.des`), whose first line contains the column names.
 *
 * @param maxFields maximum for all rows together; null is returned for a table with more fields, or with a field that
 *   is too long
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 */
export function parseTable(text: PiecewiseText, maxFields: number): TableRow[] | null {
  const rows: TableRow[] = [];
  let columns: ReadonlyMap<string, number> | null = null;
  let width = 0;
  let fields = 0;
  for (const record of records(text, maxFields)) {
    if (record === null) return null;
    // A short row counts as a full one, because missing fields are added.
    fields += Math.max(record.length, width);
    if (fields > maxFields) return null;
    if (columns === null) {
      columns = new Map(record.map((name, index) => [name.toLowerCase(), index]));
      width = record.length;
    } else {
      rows.push(new TableRow(columns, record));
    }
  }
  return rows;
}

/**
 * The records of an AICC table whose columns may repeat (`.cst`, `.ort`), starting with the column names.
 *
 * @param maxFields maximum for all records together; null is returned for a table with more fields, or with a field
 *   that is too long
 */
export function parseRecords(text: PiecewiseText, maxFields: number): string[][] | null {
  const found: string[][] = [];
  let fields = 0;
  for (const record of records(text, maxFields)) {
    if (record === null) return null;
    fields += record.length;
    if (fields > maxFields) return null;
    found.push(record);
  }
  return found;
}

/**
 * Comma-separated records as in RFC 4180, with blanks around fields. Blank records are omitted. Null for a record
 * with too many or too long fields; no record follows it.
 */
function* records(text: PiecewiseText, maxFields: number): Generator<string[] | null> {
  let record: string[] = [];
  for (const { value, endsRecord } of fields(text)) {
    if (value === null || record.length >= maxFields) {
      yield null;
      return;
    }
    record.push(value);
    if (!endsRecord) continue;
    // An array that grew has room for more fields, and a copy has none.
    if (record.some((each) => each !== '')) yield record.slice();
    record = [];
  }
}

interface Field {
  /** Null if it is too long; no field follows. */
  readonly value: string | null;
  readonly endsRecord: boolean;
}

/** The fields of a text, of which only a piece and an incomplete field are in memory. */
function* fields(text: PiecewiseText): Generator<Field> {
  const blanks = /[ \t]*/y;
  const separator = /[,\r\n]|$/g;
  const pieces = piecesOf(text);
  let known = '';
  let isAllKnown = false;
  for (let position = 0; position <= known.length; ) {
    blanks.lastIndex = position;
    const start = position + blanks.exec(known)![0].length;
    const quoteEnd = known[start] === '"' ? endOfQuoted(known, start + 1) : null;
    separator.lastIndex = quoteEnd === null ? start : Math.min(quoteEnd + 1, known.length);
    const end = separator.exec(known)!.index;
    const [from, to] = quoteEnd === null ? [start, end] : [start + 1, quoteEnd];
    if (to - from > FIELD_CHARACTERS) {
      yield { value: null, endsRecord: true };
      return;
    }
    if (end < known.length || isAllKnown) {
      const field = known.slice(from, to);
      const value = (quoteEnd === null ? field : field.replaceAll('""', '"')).trim();
      yield { value, endsRecord: known[end] !== ',' };
      position = end + 1;
    } else {
      const { value: piece = '', done } = pieces.next();
      // Text after a quoted field is ignored. Its first character shows that the quote is not doubled.
      known = known.slice(start, quoteEnd === null ? known.length : quoteEnd + 2) + piece;
      position = 0;
      isAllKnown = done === true;
    }
  }
}

/**
 * The position of the quote that ends a field. Quotes in the field are doubled. The end of the text if there is none.
 */
function endOfQuoted(text: string, start: number): number {
  let quote = text.indexOf('"', start);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote < 0 ? text.length : quote;
}
