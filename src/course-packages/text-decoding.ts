import { isUtf8 } from 'node:buffer';
import { packageError } from './package-error.ts';

/** Where an XML declaration can appear. */
const DECLARATION_BYTES = 200;

/** The text of a file, and whether its encoding had to be guessed because the declared one is wrong. */
export interface DecodedText {
  readonly text: string;
  readonly guessed: boolean;
}

/**
 * Decodes a manifest: by its byte order mark, the zero bytes of UTF-16, its XML declaration, or as UTF-8. Text that
 * should be UTF-8 but is not is read as Windows-1252, which older authoring tools write without declaring it.
 *
 * @see {@link https://www.w3.org/TR/xml/#sec-guessing}
 * @throws {PackageError} MANIFEST_ENCODING
 */
export function decodeText(bytes: Buffer, file: string): DecodedText {
  const encoding = utf16(bytes) ?? declaredEncoding(bytes) ?? 'utf-8';
  if (/^utf-?8$/i.test(encoding) && !isUtf8(bytes)) {
    return { text: new TextDecoder('windows-1252').decode(bytes), guessed: true };
  }
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), guessed: false };
  } catch (error) {
    throw packageError('MANIFEST_ENCODING', { file, encoding }, { cause: error });
  }
}

function utf16(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return null;
}

/** A file that declares UTF-16 in one-byte characters is not UTF-16. Its bytes show whether it is UTF-8. */
function declaredEncoding(bytes: Buffer): string | null {
  const start = bytes.subarray(0, DECLARATION_BYTES).toString('latin1');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? null : declared;
}
