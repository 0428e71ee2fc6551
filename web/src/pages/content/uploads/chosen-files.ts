/** Chosen files: possible course packages, and others. */
export interface ChosenFiles {
  packages: File[];
  /** The names of folders. */
  folders: string[];
  /** Files of other types. */
  others: File[];
}

/** Packages are zip files, which SCORM calls `.pif`, or a single `cmi5.xml`. */
const PACKAGE_EXTENSIONS = ['.zip', '.pif', '.xml'] as const;
/** For the file dialog. */
export const PACKAGE_ACCEPT = [...PACKAGE_EXTENSIONS, 'application/zip'].join(',');

/** Sorts files from the file dialog. */
export function sortFiles(files: Iterable<File>): ChosenFiles {
  const chosen: ChosenFiles = { packages: [], folders: [], others: [] };
  for (const file of files) (isPackage(file) ? chosen.packages : chosen.others).push(file);
  return chosen;
}

/** Sorts dropped files. Dropped folders are recognised here, because they cannot be read as files. */
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
