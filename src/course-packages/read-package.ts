import { NEVER } from '../time/never.ts';
import { type Extraction, extractArchive } from './archive/extract-archive.ts';
import { openPackage } from './archive/open-package.ts';
import { describeCourse } from './describe-course.ts';
import type { PackageDescription } from './package-description.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from './package-limits.ts';

/**
 * Determines which course an uploaded package contains, without unpacking more than its manifest.
 *
 * @param limits override those of {@link DEFAULT_PACKAGE_LIMITS}
 * @param onPiece called before each piece of a manifest is read
 * @throws {PackageError} if the package is at fault; the message is for its author
 * @throws {NodeJS.ErrnoException} if the machine is at fault, for example ENOENT
 */
export async function inspectPackage(
  packageFile: string,
  limits: Partial<PackageLimits> = {},
  onPiece?: () => void,
): Promise<PackageDescription> {
  const allLimits = { ...DEFAULT_PACKAGE_LIMITS, ...limits };
  await using archive = await openPackage(packageFile, allLimits);
  return await describeCourse(archive.files, { limits: allLimits, isStored: false, onPiece });
}

/**
 * Unpacks a package into `destination`, a new folder in an existing one. When this resolves, every byte is on disk and
 * survives a power failure. If it fails, `destination` is removed.
 *
 * @param options `limits` override those of {@link DEFAULT_PACKAGE_LIMITS}
 * @returns the numbers of files and bytes written
 * @throws {PackageError} if the package is at fault; the message is for its author
 * @throws {NodeJS.ErrnoException} if the machine is at fault: EEXIST (the folder is not changed), ENOENT, ENOSPC
 * @throws the reason of `signal`
 */
export async function extractPackage(
  packageFile: string,
  destination: string,
  { limits = {}, signal = NEVER }: { limits?: Partial<PackageLimits>; signal?: AbortSignal } = {},
): Promise<Extraction> {
  await using archive = await openPackage(packageFile, { ...DEFAULT_PACKAGE_LIMITS, ...limits });
  return await extractArchive(archive, destination, signal);
}
