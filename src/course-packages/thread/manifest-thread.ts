import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { PackageDescription } from '../package-description.ts';
import { PackageError, packageError } from '../package-error.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package-limits.ts';
import { inspectPackage } from '../read-package.ts';
import { describeStoredCourse } from '../stored-course.ts';
import type { ManifestRequest, ManifestResult, ReadManifest } from './manifest-messages.ts';
import { ThreadHeap } from './thread-heap.ts';

/** The entry point of a thread of the {@link ManifestReader}, which reads one manifest after another. */
function serve(): void {
  const port = parentPort;
  if (port === null) throw new Error('this runs on a thread of its own');
  yieldToOthers();
  const heap = new ThreadHeap();
  port.on('message', async (request: ManifestRequest) => {
    port.postMessage(await readInThread(request, heap));
    heap.release();
  });
}

/** On Linux, a priority applies to one thread, so that the rest of the service comes first on a single core. */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some containers forbid it. Then all threads have the same priority.
  }
}

async function readInThread(request: ManifestRequest, heap: ThreadHeap): Promise<ManifestResult> {
  const onPiece = () => heap.collectIfGrown();
  try {
    const description =
      request.kind === 'package'
        ? await inspectPackage(request.file, request.limits, onPiece)
        : await describeStoredCourse(request.files, onPiece);
    return { kind: 'read', manifest: toManifest(description) };
  } catch (error) {
    if (error instanceof PackageError) return { kind: 'refused', code: error.code, message: error.message };
    const { message, stack = null } = error instanceof Error ? error : new Error(String(error));
    const { code = null } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, code, stack };
  }
}

/** @throws {PackageError} MANIFEST_TOO_COMPLEX */
function toManifest({
  learningStandard,
  title,
  warnings,
  units,
  structure,
}: PackageDescription): ReadManifest {
  const manifest = {
    learningStandard,
    title,
    warnings,
    units: JSON.stringify(units),
    structure: JSON.stringify(structure),
  };
  if (manifest.units.length + manifest.structure.length > DEFAULT_PACKAGE_LIMITS.describedCharacters) {
    throw packageError('MANIFEST_TOO_COMPLEX', { file: 'manifest' });
  }
  return manifest;
}

serve();
