import { packageError } from './package-error.ts';

/** The cost of an item without its rules and objectives: about a thousand characters of JSON. */
export const NODES_OF_AN_ITEM = 10;

/** Limits the stored data of a manifest, in which many items may share a part. */
export class StructureBudget {
  readonly #file: string;
  #left: number;

  /** @param nodes maximum number of stored elements, table rows and the like */
  constructor(file: string, nodes: number) {
    this.#file = file;
    this.#left = nodes;
  }

  /** @throws {PackageError} MANIFEST_TOO_COMPLEX */
  spend(nodes: number): void {
    this.#left -= nodes;
    if (this.#left < 0) throw packageError('MANIFEST_TOO_COMPLEX', { file: this.#file });
  }
}
