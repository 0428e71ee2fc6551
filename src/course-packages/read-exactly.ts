import type { FileHandle } from 'node:fs/promises';

/**
 * The `length` bytes of a file from `position` on.
 *
 * @throws {RangeError} when the file ends before, or the position cannot be one of a file
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
