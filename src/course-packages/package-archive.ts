/** A file of a package that is not unpacked yet. */
export interface ArchiveFile {
  /** Safe to join to a folder. */
  readonly name: string;
  /** Unpacked bytes, as the package claims. */
  readonly size: number;
  /** The unpacked content in blocks, never more than `size`. @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED */
  content(): AsyncGenerator<Buffer, void, undefined>;
}

/** An open package: a zip, or a course structure of cmi5 alone. */
export interface PackageArchive extends AsyncDisposable {
  readonly files: readonly ArchiveFile[];
  /** Parents before what they hold, without a `/` at the end. */
  readonly folders: readonly string[];
}
