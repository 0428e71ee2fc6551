const UTF_16_LE = 0xff_fe;
const UTF_16_BE = 0xfe_ff;

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark. Null for any other encoding: a guess at a code page
 * would change letters.
 */
export function decodeText(bytes: ArrayBuffer): string | null {
  const mark = bytes.byteLength < 2 ? 0 : new DataView(bytes).getUint16(0);
  const encoding = mark === UTF_16_LE ? 'utf-16le' : mark === UTF_16_BE ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
