import { packageError } from './package-error.ts';

/** What an item costs beside its rules and objectives: about a thousand characters of JSON. */
export const NODES_OF_AN_ITEM = 10;

/** Bounds what is kept of a manifest, where one part may be used by many items. */
export class StructureBudget {
  readonly #file: string;
  #left: number;

  /** @param nodes elements, tables' rows and the like that may be kept in all */
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
