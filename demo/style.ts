import { styleText } from 'node:util';

type Dress = (text: string) => string;

/** Ways to highlight text on a terminal. */
export interface Style {
  readonly title: Dress;
  readonly quiet: Dress;
  readonly good: Dress;
  readonly bad: Dress;
  readonly warn: Dress;
  readonly name: Dress;
}

/** Colours, or none for a file, a pipe, or a user who wants none. */
export function styleOf(colour: boolean): Style {
  const dress =
    (format: Parameters<typeof styleText>[0]): Dress =>
    (text) =>
      colour ? styleText(format, text, { validateStream: false }) : text;
  return {
    title: dress('bold'),
    quiet: dress('dim'),
    good: dress('green'),
    bad: dress('red'),
    warn: dress('yellow'),
    name: dress('cyan'),
  };
}

/** Columns as wide as their contents. The last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (wide, row) => row.map((cell, column) => Math.max(cell.length, wide[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
