import { GIB, MIB } from '../bytes.ts';

/** Maximum length of a unit's identifier: PostgreSQL's limit for index keys, less the rest of the key of its results. */
export const MAX_UNIT_ID_BYTES = 2_500;

/** Limits for reading and unpacking a package. A package beyond them is rejected, never truncated. */
export interface PackageLimits {
  /** Number of files and folders, including folders that only file names imply. */
  readonly entries: number;
  /** Unpacked bytes of one file. */
  readonly fileBytes: number;
  /** Unpacked bytes of all files together. */
  readonly totalBytes: number;
  /** Unpacked bytes per packed byte, for a file and for the whole zip. */
  readonly ratio: number;
  /** Up to this many unpacked bytes, the ratio is not checked: a small file of blanks is not an attack. */
  readonly ratioFloorBytes: number;
  /** Bytes of a file's path in UTF-8. */
  readonly nameBytes: number;
  /** Segments of a file's path. */
  readonly depth: number;
  /** Unpacked bytes of a manifest, or of another file that describes the course. */
  readonly manifestBytes: number;
  /** Characters of an attribute of an XML file. */
  readonly attributeCharacters: number;
  /** Attributes of one element. */
  readonly elementAttributes: number;
  /** Elements within elements. */
  readonly xmlDepth: number;
  /** Elements and attributes of an XML file, or cells of an AICC table. */
  readonly manifestNodes: number;
  /** Number of stored rules, objectives, items and the like of a manifest; an item counts as ten. */
  readonly structureNodes: number;
  /** Stored characters of JSON of a manifest. */
  readonly describedCharacters: number;
  /** Units that a learner can launch. */
  readonly units: number;
  /**
   * Bytes of a unit's identifier in UTF-8. Results are found by it, and databases limit the length of indexed values.
   */
  readonly unitIdBytes: number;
}

/** Limits above every course seen in practice. The largest ones contain some hundred megabytes of video. */
export const DEFAULT_PACKAGE_LIMITS: PackageLimits = {
  entries: 20_000,
  fileBytes: GIB,
  totalBytes: 2 * GIB,
  ratio: 200,
  ratioFloorBytes: 10 * MIB,
  nameBytes: 1024,
  depth: 40,
  manifestBytes: 8 * MIB,
  attributeCharacters: 32_768,
  elementAttributes: 250,
  xmlDepth: 100,
  manifestNodes: 200_000,
  structureNodes: 60_000,
  describedCharacters: 4 * MIB,
  units: 2_000,
  unitIdBytes: MAX_UNIT_ID_BYTES,
};
