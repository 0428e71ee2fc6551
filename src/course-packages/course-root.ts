import { packageError } from './package-error.ts';

const MANIFEST = /^(?:imsmanifest\.xml|cmi5\.xml|tincan\.xml|.*\.crs)$/i;

/**
 * The folder of a zip that contains the manifest: the root, or the single folder around the course. Such a folder
 * exists if people zip the folder instead of its contents. Empty, or with a trailing `/`.
 *
 * @throws {PackageError} MANIFEST_MISSING, MANIFEST_AMBIGUOUS, MANIFEST_TOO_DEEP
 */
export function findCourseRoot(names: Iterable<string>): string {
  const folders = new Set<string>();
  let tooDeep: string | null = null;
  for (const name of names) {
    const segments = name.split('/');
    if (!MANIFEST.test(segments.at(-1)!)) continue;
    if (segments.length === 1) return '';
    if (segments.length === 2) folders.add(`${segments[0]}/`);
    else tooDeep ??= name;
  }
  const [folder, other] = folders;
  if (folder !== undefined && other !== undefined) {
    throw packageError('MANIFEST_AMBIGUOUS', { folder, other });
  }
  if (folder !== undefined) return folder;
  if (tooDeep !== null) throw packageError('MANIFEST_TOO_DEEP', { file: tooDeep });
  throw packageError('MANIFEST_MISSING', {});
}
