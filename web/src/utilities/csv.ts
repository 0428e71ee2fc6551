import Papa from 'papaparse';
import { asText } from './exported-text.ts';

/** A byte order mark. Without it, Excel reads UTF-8 as a code page of the system. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Records as CSV (RFC 4180) with a header. A nested object becomes a column for each member (`line.status`). An array
 * becomes its values separated by spaces, or JSON if they are objects. Text that a spreadsheet would run as a formula
 * gets an apostrophe before it, because names come from other systems.
 */
export function toCsv(records: readonly object[]): string {
  const rows = records.map(flatten);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // Papa Parse refuses a table without columns.
  if (columns.length === 0) return BYTE_ORDER_MARK;
  return BYTE_ORDER_MARK + Papa.unparse(rows, { columns });
}

function flatten(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[name, asText(arrayText(value))]];
      if (typeof value === 'string') return [[name, asText(value)]];
      if (typeof value !== 'object' || value === null) return [[name, value]];
      return Object.entries(flatten(value)).map(([inner, each]) => [`${name}.${inner}`, each]);
    }),
  );
}

function arrayText(values: readonly unknown[]): string {
  const isFlat = values.every((value) => typeof value !== 'object' || value === null);
  return isFlat ? values.map(String).join(' ') : JSON.stringify(values);
}

/** Saves text as a file of the person’s browser. */
export function saveFile(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
