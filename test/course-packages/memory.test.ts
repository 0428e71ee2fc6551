import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { ZipFile } from 'yazl';
import { extractPackage } from '../../src/course-packages/read-package.ts';
import { PackageFile } from './package-file.ts';

// Needs a process of its own: it measures the peak memory of the process.

const MEBIBYTE = 1024 * 1024;
const FILE_BYTES = 128 * MEBIBYTE;
const MORE_MEMORY = 48 * MEBIBYTE;

/** The most memory that this process ever had, in bytes. */
function peakMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}

it('extracting a large file takes much less memory than its size', async () => {
  const zeros = Buffer.alloc(64 * 1024);
  const zip = new ZipFile();
  zip.addReadStream(
    Readable.from(Array.from({ length: FILE_BYTES / zeros.length }, () => zeros)),
    'zeros.bin',
  );
  zip.end();
  await using file = await PackageFile.of(await buffer(zip.outputStream));

  const before = peakMemory();
  const { bytes } = await extractPackage(file.path, file.destination, {
    limits: { ratio: Number.POSITIVE_INFINITY },
  });
  assert.equal(bytes, FILE_BYTES);
  const more = peakMemory() - before;
  assert.ok(more < MORE_MEMORY, `${Math.round(more / MEBIBYTE)} MiB more`);
});
