import type { PackageLimits } from '../package-limits.ts';
import { BareStructure, isBareStructure } from './bare-structure.ts';
import type { PackageArchive } from './package-archive.ts';
import { ZipArchive } from './zip-archive.ts';

/** Opens a package of either kind. @throws {PackageError} as {@link ZipArchive.open} and {@link BareStructure.open} */
export async function openPackage(path: string, limits: PackageLimits): Promise<PackageArchive> {
  return (await isBareStructure(path))
    ? await BareStructure.open(path, limits)
    : await ZipArchive.open(path, limits);
}
