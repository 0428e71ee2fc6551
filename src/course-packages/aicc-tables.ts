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

/**
 * The rows of an AICC table (`.au`, `.des`), whose first line names the columns.
 *
 * @param maxFields of all rows together; null is returned for a table with more
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 */
export function parseTable(text: string, maxFields: number): TableRow[] | null {
  const rows: TableRow[] = [];
  let columns: string[] = [];
  let fields = 0;
  for (const record of records(text)) {
    // A short row counts as a full one: it becomes one.
    fields += Math.max(record.length, columns.length);
    if (fields > maxFields) return null;
    if (columns.length === 0) columns = record.map((name) => name.toLowerCase());
    else rows.push(new Map(columns.map((name, index) => [name, record[index] ?? ''])));
  }
  return rows;
}

/**
 * The records of an AICC table whose columns may repeat (`.cst`, `.ort`), the one that names them first.
 *
 * @param maxFields of all records together; null is returned for a table with more
 */
export function parseRecords(text: string, maxFields: number): string[][] | null {
  const found: string[][] = [];
  let fields = 0;
  for (const record of records(text)) {
    fields += record.length;
    if (fields > maxFields) return null;
    found.push(record);
  }
  return found;
}

/** Comma-separated records as in RFC 4180, with blanks around fields allowed; blank records are left out. */
function* records(text: string): Generator<string[]> {
  const blanks = /[ \t]*/y;
  const separator = /[,\r\n]|$/g;
  let record: string[] = [];
  for (let position = 0; position <= text.length; position += 1) {
    blanks.lastIndex = position;
    const start = position + blanks.exec(text)![0].length;
    const inQuotes = text[start] === '"' ? quotedField(text, start + 1) : null;
    separator.lastIndex = inQuotes?.end ?? start;
    position = separator.exec(text)!.index;
    record.push((inQuotes?.value ?? text.slice(start, position)).trim());
    if (text[position] === ',') continue;
    if (record.some((value) => value !== '')) yield record;
    record = [];
  }
}

function quotedField(text: string, start: number): { value: string; end: number } {
  let value = '';
  let position = start;
  for (;;) {
    const quote = text.indexOf('"', position);
    if (quote < 0) return { value: value + text.slice(position), end: text.length };
    value += text.slice(position, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    position = quote + 2;
  }
}
