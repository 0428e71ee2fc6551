import { GIB, KIB, MIB, TIB } from '../bytes.ts';
import { accept, type Bounds, type Parsed, type Parser, refuse } from './parser.ts';

const SIZE_TEXT = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/i;
const BYTES_IN = new Map([
  ['B', 1],
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KiB', KIB],
  ['MiB', MIB],
  ['GiB', GIB],
  ['TiB', TIB],
]);
const BYTES_IN_LOWER_CASE = new Map([...BYTES_IN].map(([unit, bytes]) => [unit.toLowerCase(), bytes]));

/** A number of bytes, given as a whole number or as text with a unit: `500MB`, `1.5 GiB`. */
export function byteSize(bounds: Bounds): Parser<number> {
  const check = (bytes: number): Parsed<number> =>
    Number.isInteger(bytes) && bytes >= bounds.min && bytes <= bounds.max ? accept(bytes) : refuse();

  const fromText = (text: string): Parsed<number> => {
    const match = SIZE_TEXT.exec(text.trim());
    const factor = BYTES_IN_LOWER_CASE.get((match?.[2] ?? 'B').toLowerCase());
    if (match === null || factor === undefined) return refuse();
    return check(match[2] === undefined ? Number(match[1]) : Math.round(Number(match[1]) * factor));
  };

  return {
    allowed:
      `a number of bytes from ${showBytes(bounds.min)} to ${showBytes(bounds.max)}, ` +
      'as a whole number or with a unit (500MB, 1GiB)',
    unit: 'bytes',
    fromText,
    fromYaml: (value) => {
      if (typeof value === 'number') return check(value);
      return typeof value === 'string' ? fromText(value) : refuse();
    },
  };
}

/** A number of bytes in the largest binary unit that divides it: 1048576 → `1MiB`. */
export function showBytes(bytes: number): string {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB']) {
    const factor = BYTES_IN.get(unit) ?? 1;
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}
