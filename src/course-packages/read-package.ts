import { describeCourse } from './describe-course.ts';
import { type Extraction, extractArchive } from './extract-archive.ts';
import type { PackageDescription } from './package-description.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from './package-limits.ts';
import { ZipArchive } from './zip-archive.ts';

/**
 * Says what course an uploaded zip file holds, without unpacking more than its manifest.
 *
 * @param limits replace those of {@link DEFAULT_PACKAGE_LIMITS} that they name
 * @throws {PackageError} when the package is at fault, in words for its author
 * @throws {NodeJS.ErrnoException} when the machine is, for example ENOENT
 */
export async function inspectPackage(
  zipFile: string,
  limits: Partial<PackageLimits> = {},
): Promise<PackageDescription> {
  const allLimits = { ...DEFAULT_PACKAGE_LIMITS, ...limits };
  await using archive = await ZipArchive.open(zipFile, allLimits);
  const files = archive.members.map((member) => ({
    name: member.name,
    size: member.size,
    read: () => archive.read(member),
  }));
  return await describeCourse(files, { limits: allLimits, isStored: false });
}

/**
 * Unpacks a zip file into `destination`, a folder that must not exist yet, in one that does. When this resolves,
 * every byte is on disk and survives a power cut; when it fails, `destination` is gone again.
 *
 * @param limits replace those of {@link DEFAULT_PACKAGE_LIMITS} that they name
 * @returns how many files and bytes were written
 * @throws {PackageError} when the package is at fault, in words for its author
 * @throws {NodeJS.ErrnoException} when the machine is: EEXIST (the folder is left as it is), ENOENT, ENOSPC
 */
export async function extractPackage(
  zipFile: string,
  destination: string,
  limits: Partial<PackageLimits> = {},
): Promise<Extraction> {
  await using archive = await ZipArchive.open(zipFile, { ...DEFAULT_PACKAGE_LIMITS, ...limits });
  return await extractArchive(archive, destination);
}
