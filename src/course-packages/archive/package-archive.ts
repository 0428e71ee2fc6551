/** A file of a package that has not been unpacked. */
export interface ArchiveFile {
  /** Can safely be joined to a folder. */
  readonly name: string;
  /** Unpacked bytes, according to the package. */
  readonly size: number;
  /** The unpacked content in blocks, never more than `size`. @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED */
  content(): AsyncGenerator<Buffer, void, undefined>;
  /** The whole unpacked content of a file that is not large. @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED */
  read(): Promise<Buffer>;
}

/** An open package: a zip, or a single cmi5 course structure. */
export interface PackageArchive extends AsyncDisposable {
  readonly files: readonly ArchiveFile[];
  /** Parents before their contents, without a trailing `/`. */
  readonly folders: readonly string[];
}
