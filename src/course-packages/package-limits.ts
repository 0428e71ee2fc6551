const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

/** What PostgreSQL takes of an identifier in the key of a unit's results, with room for the rest of that key. */
export const MAX_UNIT_ID_BYTES = 2_500;

/** Limits for reading and unpacking a package. A package beyond them is rejected, never truncated. */
export interface PackageLimits {
  /** Files and folders together, also the folders that only the names of files imply. */
  readonly entries: number;
  /** Unpacked bytes of one file. */
  readonly fileBytes: number;
  /** Unpacked bytes of all files together. */
  readonly totalBytes: number;
  /** Unpacked bytes for each packed byte, of a file and of the whole zip. */
  readonly ratio: number;
  /** Up to this many unpacked bytes the ratio is not looked at: a small file of blanks is no attack. */
  readonly ratioFloorBytes: number;
  /** Bytes of a file's path in UTF-8. */
  readonly nameBytes: number;
  /** Segments of a file's path. */
  readonly depth: number;
  /** Unpacked bytes of a manifest, or of any other file that is read to understand the course. */
  readonly manifestBytes: number;
  /** Characters of an attribute of an XML file. */
  readonly attributeCharacters: number;
  /** Attributes of one element. */
  readonly elementAttributes: number;
  /** Elements within elements. */
  readonly xmlDepth: number;
  /** Elements and attributes of an XML file, or cells of an AICC table. */
  readonly manifestNodes: number;
  /** Rules, objectives, items and the like that are kept of a manifest; an item counts as ten. */
  readonly structureNodes: number;
  /** Characters of JSON that are kept of a manifest. */
  readonly describedCharacters: number;
  /** Units that a learner can launch. */
  readonly units: number;
  /** Bytes of a unit's identifier in UTF-8. Results are found by it, and databases bound the length of what they index. */
  readonly unitIdBytes: number;
}

/** Limits with room for every course seen in practice; the largest courses are video, some hundred megabytes of it. */
export const DEFAULT_PACKAGE_LIMITS: PackageLimits = {
  entries: 20_000,
  fileBytes: GIBIBYTE,
  totalBytes: 2 * GIBIBYTE,
  ratio: 200,
  ratioFloorBytes: 10 * MEBIBYTE,
  nameBytes: 1024,
  depth: 40,
  manifestBytes: 8 * MEBIBYTE,
  attributeCharacters: 32_768,
  elementAttributes: 250,
  xmlDepth: 100,
  manifestNodes: 200_000,
  structureNodes: 60_000,
  describedCharacters: 4 * MEBIBYTE,
  units: 2_000,
  unitIdBytes: MAX_UNIT_ID_BYTES,
};
