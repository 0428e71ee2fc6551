import Papa from 'papaparse';

/** Without it, Excel takes UTF-8 for a code page of the system. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Records as CSV (RFC 4180) with a header. A nested object becomes a column for each member (`line.status`), an array
 * its values separated by spaces. Text that a spreadsheet would run as a formula is prefixed with an apostrophe,
 * because names come from other systems.
 */
export function toCsv(records: readonly object[]): string {
  const rows = records.map(flatten);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return BYTE_ORDER_MARK + Papa.unparse(rows, { columns, escapeFormulae: true });
}

function flatten(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[name, value.map(String).join(' ')]];
      if (typeof value !== 'object' || value === null) return [[name, value]];
      return Object.entries(flatten(value)).map(([inner, each]) => [`${name}.${inner}`, each]);
    }),
  );
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
