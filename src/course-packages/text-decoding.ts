import { isUtf8 } from 'node:buffer';
import { KIB } from '../bytes.ts';
import { packageError } from './package-error.ts';

/** Where an XML declaration can appear. */
const DECLARATION_BYTES = 200;

/** The byte order mark of UTF-8. */
const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** A piece is small enough that work with it takes a few milliseconds. */
const PIECE_BYTES = 64 * KIB;

/** A text that is decoded piece by piece, because the whole text takes as much memory as its bytes, or twice as much. */
export interface PiecewiseText {
  /** From the beginning. */
  pieces(): Iterable<string>;
}

/** The text of a file. */
export interface DecodedText extends PiecewiseText {
  /** Whether its encoding had to be guessed because the declared one is wrong. */
  readonly guessed: boolean;
}

/**
 * Decodes a manifest, in this order: by its byte order mark, the zero bytes of UTF-16, its XML declaration, or as UTF-8.
 * Text that should be UTF-8 but is not is read as Windows-1252, which older authoring tools write without declaring it.
 *
 * @see {@link https://www.w3.org/TR/xml/#sec-guessing}
 * @throws {PackageError} MANIFEST_ENCODING
 */
export function decodeText(bytes: Uint8Array, file: string): DecodedText {
  const isMarked = UTF8_MARK.every((byte, index) => bytes[index] === byte);
  const encoding = isMarked ? 'utf-8' : (utf16(bytes) ?? declaredEncoding(bytes) ?? 'utf-8');
  const isUtf8Expected = /^utf-?8$/i.test(encoding);
  if (isUtf8Expected && !isUtf8(bytes)) {
    const unmarked = isMarked ? bytes.subarray(UTF8_MARK.length) : bytes;
    return { guessed: true, pieces: () => piecesOf(unmarked, 'windows-1252') };
  }
  const pieces = () => piecesOf(bytes, encoding);
  try {
    // A wrong encoding is reported before other errors of the text.
    if (!isUtf8Expected) for (const _ of pieces());
  } catch (error) {
    throw packageError('MANIFEST_ENCODING', { file, encoding }, { cause: error });
  }
  return { guessed: false, pieces };
}

function* piecesOf(bytes: Uint8Array, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield decoder.decode(bytes.subarray(start, start + PIECE_BYTES), { stream: true });
  }
  yield decoder.decode();
}

function utf16(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return null;
}

/** A file that declares UTF-16 in one-byte characters is not UTF-16. Its bytes show whether it is UTF-8. */
function declaredEncoding(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
  return declared === undefined || /^utf-?16/i.test(declared) ? null : declared;
}
