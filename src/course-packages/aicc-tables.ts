/**
 * The members of one section of an AICC description (`.crs`), by lower-case name: `[Course]`, `Course_Title = …`.
 *
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 */
export function parseSection(text: string, section: string): Map<string, string> {
  const members = new Map<string, string>();
  let inSection = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) inSection = trimmed.toLowerCase() === `[${section.toLowerCase()}]`;
    const equals = trimmed.indexOf('=');
    if (inSection && equals > 0 && !trimmed.startsWith(';')) {
      members.set(trimmed.slice(0, equals).trim().toLowerCase(), trimmed.slice(equals + 1).trim());
    }
  }
  return members;
}

/** A row of an AICC table, its fields by lower-case column name, trimmed. */
export type TableRow = ReadonlyMap<string, string>;

/** Maximum length of a field; the standard allows 4,096. */
const FIELD_CHARACTERS = 65_536;

/**
 * The rows of an AICC table (`.au`, `.des`), whose first line contains the column names.
 *
 * @param maxFields maximum for all rows together; null is returned for a table with more fields, or with a field that
 *   is too long
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 */
export function parseTable(text: string, maxFields: number): TableRow[] | null {
  const rows: TableRow[] = [];
  let columns: string[] = [];
  let fields = 0;
  for (const record of records(text, maxFields)) {
    if (record === null) return null;
    // A short row counts as a full one, because missing fields are added.
    fields += Math.max(record.length, columns.length);
    if (fields > maxFields) return null;
    if (columns.length === 0) columns = record.map((name) => name.toLowerCase());
    else rows.push(new Map(columns.map((name, index) => [name, record[index] ?? ''])));
  }
  return rows;
}

/**
 * The records of an AICC table whose columns may repeat (`.cst`, `.ort`), starting with the column names.
 *
 * @param maxFields maximum for all records together; null is returned for a table with more fields, or with a field
 *   that is too long
 */
export function parseRecords(text: string, maxFields: number): string[][] | null {
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
function* records(text: string, maxFields: number): Generator<string[] | null> {
  const blanks = /[ \t]*/y;
  const separator = /[,\r\n]|$/g;
  let record: string[] = [];
  for (let position = 0; position <= text.length; position += 1) {
    blanks.lastIndex = position;
    const start = position + blanks.exec(text)![0].length;
    const quoteEnd = text[start] === '"' ? endOfQuoted(text, start + 1) : null;
    separator.lastIndex = quoteEnd === null ? start : Math.min(quoteEnd + 1, text.length);
    position = separator.exec(text)!.index;
    const [from, to] = quoteEnd === null ? [start, position] : [start + 1, quoteEnd];
    if (to - from > FIELD_CHARACTERS || record.length >= maxFields) {
      yield null;
      return;
    }
    const field = text.slice(from, to);
    record.push((quoteEnd === null ? field : field.replaceAll('""', '"')).trim());
    if (text[position] === ',') continue;
    if (record.some((value) => value !== '')) yield record;
    record = [];
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
