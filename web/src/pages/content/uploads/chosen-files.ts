/** What of the chosen files can be a course package, and what cannot. */
export interface ChosenFiles {
  packages: File[];
  /** Names of folders. */
  folders: string[];
  /** Files of another kind. */
  others: File[];
}

/** Packages are zips, which SCORM calls `.pif`, or a `cmi5.xml` alone. */
export const PACKAGE_EXTENSIONS = ['.zip', '.pif', '.xml'] as const;
/** For the file dialog. */
export const PACKAGE_ACCEPT = [...PACKAGE_EXTENSIONS, 'application/zip'].join(',');

/** Sorts files that came from the file dialog. */
export function sortFiles(files: Iterable<File>): ChosenFiles {
  const chosen: ChosenFiles = { packages: [], folders: [], others: [] };
  for (const file of files) (isPackage(file) ? chosen.packages : chosen.others).push(file);
  return chosen;
}

/** Sorts what was dropped. A dropped folder is told apart here: as a file it cannot be read. */
export function sortDropped(transfer: DataTransfer): ChosenFiles {
  const chosen: ChosenFiles = { packages: [], folders: [], others: [] };
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const file = item.getAsFile();
    if (file === null) continue;
    if (item.webkitGetAsEntry()?.isDirectory === true) chosen.folders.push(file.name);
    else (isPackage(file) ? chosen.packages : chosen.others).push(file);
  }
  return chosen;
}

function isPackage({ name, type }: File): boolean {
  const lower = name.toLowerCase();
  return PACKAGE_EXTENSIONS.some((extension) => lower.endsWith(extension)) || type === 'application/zip';
}
