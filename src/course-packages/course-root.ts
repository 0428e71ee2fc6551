import { packageError } from './package-error.ts';

const XML_MANIFEST = /^(?:imsmanifest\.xml|cmi5\.xml|tincan\.xml)$/i;
const AICC_DESCRIPTION = /\.crs$/i;
const AICC_UNITS = /\.au$/i;

/**
 * The folder of a zip that contains the manifest: the root, or the single folder around the course. Such a folder
 * exists if people zip the folder instead of its contents. Empty, or with a trailing `/`.
 *
 * @throws {PackageError} MANIFEST_MISSING, MANIFEST_AMBIGUOUS, MANIFEST_TOO_DEEP
 */
export function findCourseRoot(names: readonly string[]): string {
  const aiccFolders = new Set(names.filter((name) => AICC_UNITS.test(name)).map(folderOf));
  const descriptions = names.filter((name) => AICC_DESCRIPTION.test(name));
  const manifests = [
    ...names.filter((name) => XML_MANIFEST.test(name.slice(folderOf(name).length))),
    ...descriptions.filter((name) => aiccFolders.has(folderOf(name))),
  ];
  // A description without units may be left over from another course.
  return rootOf(manifests.length > 0 ? manifests : descriptions);
}

/** @throws {PackageError} as {@link findCourseRoot} */
function rootOf(manifests: readonly string[]): string {
  const folders = new Set<string>();
  let tooDeep: string | null = null;
  for (const name of manifests) {
    const segments = name.split('/');
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

/** Empty, or with a trailing `/`. */
function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}
