import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackageDescription } from '../../src/course-packages/package-description.ts';
import { inspectPackage } from '../../src/course-packages/read-package.ts';
import { type PackageFiles, zipOf } from '../support/course-packages.ts';

/** A zip file on disk, alone in a temporary folder, which is removed when this is disposed of. */
export class PackageFile implements AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  /** The folder to extract to: in the same folder, and not created yet. */
  readonly destination: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'package.zip');
    this.destination = join(folder, 'course');
  }

  static async of(zip: Buffer): Promise<PackageFile> {
    const file = new PackageFile(await mkdtemp(join(tmpdir(), 'coursewire-package-')));
    await writeFile(file.path, zip);
    return file;
  }

  /** Everything in the temporary folder but the zip file itself. */
  async leftovers(): Promise<string[]> {
    const names = await readdir(this.folder, { recursive: true });
    return names.filter((name) => name !== 'package.zip').sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Inspects a package of these files. */
export async function inspectFiles(files: PackageFiles): Promise<PackageDescription> {
  await using file = await PackageFile.of(await zipOf(files));
  return await inspectPackage(file.path);
}
