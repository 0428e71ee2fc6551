import type { FileHandle } from 'node:fs/promises';

/**
 * Reads `length` bytes of a file, starting at `position`.
 *
 * @param ended the message of the error if the file ends earlier
 * @throws {RangeError} if the file ends earlier, or the position is invalid
 */
export async function readExactly(
  file: FileHandle,
  position: number,
  length: number,
  ended = 'unexpected end of the file',
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new RangeError(ended);
    filled += bytesRead;
  }
  return bytes;
}
