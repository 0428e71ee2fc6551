import { isUtf8 } from 'node:buffer';

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Decodes a name or value of a query or form: as UTF-8 if it is valid, else as Latin-1, as JavaScript's `escape()` writes the letters
 * of Western European languages in old courses. So different texts of such a course nearly always stay different. Invalid escapes
 * are kept.
 * @param text one character per byte
 */
export function decodePercent(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const escaped = byte === PERCENT ? digitOf(bytes[at + 1]) * 16 + digitOf(bytes[at + 2]) : Number.NaN;
    if (!Number.isNaN(escaped)) at += 2;
    bytes[length] = Number.isNaN(escaped) ? (byte === PLUS ? SPACE : byte) : escaped;
    length += 1;
  }
  const decoded = bytes.subarray(0, length);
  return decoded.toString(isUtf8(decoded) ? 'utf8' : 'latin1');
}

/** The value of a hexadecimal digit; NaN for other characters. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : Number.NaN;
}
