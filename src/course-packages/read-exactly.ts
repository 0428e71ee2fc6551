import type { FileHandle } from 'node:fs/promises';

/**
 * Reads `length` bytes of a file, starting at `position`.
 *
 * @throws {RangeError} if the file ends earlier, or the position is invalid
 */
export async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new RangeError('unexpected end of the file');
    filled += bytesRead;
  }
  return bytes;
}
