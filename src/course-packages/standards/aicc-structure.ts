import type { CourseFiles } from '../course-files.ts';
import {
  type AiccCompletion,
  type CourseObjective,
  plainItem,
  type StructureItem,
} from '../course-structure.ts';
import { quoted } from '../package-error.ts';
import { NODES_OF_AN_ITEM, type StructureBudget } from '../structure-budget.ts';
import type { TableRow } from './aicc-tables.ts';

/** The block that contains everything else (CMI001, the course structure file). */
const ROOT = 'ROOT';
/** Maximum nesting of blocks: more than any course has. */
const MAX_DEPTH = 50;
/** Maximum length of a requirement. */
const REQUIREMENT_CHARACTERS = 4_000;

/** The structure data in the files of an AICC course. Keys are System_IDs in upper case. */
export interface AiccTables {
  /** The units in the order of the `.au` file, with their ids as written there. */
  readonly units: ReadonlyMap<string, { id: string; title: string }>;
  /** The titles in the `.des` file. */
  readonly titles: ReadonlyMap<string, string>;
  /**
   * Rows of the `.cst` file, each a block and its members. The first row contains the column names. Null if there is no
   * file.
   */
  readonly structure: readonly (readonly string[])[] | null;
  /** Rows of the `.pre` file. */
  readonly prerequisites: readonly TableRow[];
  /** Rows of the `.cmp` file. */
  readonly completions: readonly TableRow[];
  /** Rows of the `.ort` file, as those of `.cst`: an element and its objectives. */
  readonly objectives: readonly (readonly string[])[];
}

/**
 * Builds the tree of an AICC course. Units without a block come last, with a warning. Members that are neither
 * units nor blocks are omitted.
 *
 * @throws {PackageError} MANIFEST_TOO_COMPLEX
 */
export function aiccItems(course: CourseFiles, tables: AiccTables, budget: StructureBudget): StructureItem[] {
  return new TreeBuilder(course, tables, budget).build();
}

class TreeBuilder {
  readonly #course: CourseFiles;
  readonly #tables: AiccTables;
  readonly #budget: StructureBudget;
  readonly #members: ReadonlyMap<string, readonly string[]>;
  readonly #objectives: ReadonlyMap<string, readonly string[]>;
  readonly #prerequisites = new Map<string, string>();
  readonly #completions = new Map<string, AiccCompletion[]>();
  readonly #placed = new Set<string>();

  constructor(course: CourseFiles, tables: AiccTables, budget: StructureBudget) {
    this.#course = course;
    this.#tables = tables;
    this.#budget = budget;
    this.#members = groups(tables.structure ?? []);
    this.#objectives = groups(tables.objectives);
    for (const row of tables.prerequisites) {
      const element = row.get('structure_element')?.toUpperCase();
      const prerequisite = row.get('prerequisite')?.slice(0, REQUIREMENT_CHARACTERS);
      if (element && prerequisite) this.#prerequisites.set(element, prerequisite);
    }
    for (const row of tables.completions) this.#addCompletion(row);
  }

  build(): StructureItem[] {
    const items = this.#children(ROOT, 1);
    for (const [key, { id }] of this.#tables.units) {
      if (this.#placed.has(key)) continue;
      if (this.#tables.structure !== null) {
        this.#course.warn(`No block of the .cst file contains the unit ${quoted(id)}. It comes last.`);
      }
      items.push(this.#item(key, id, 1));
    }
    return items;
  }

  #children(block: string, depth: number): StructureItem[] {
    return (this.#members.get(block) ?? []).flatMap((id) => {
      const key = id.toUpperCase();
      if (this.#placed.has(key) || key === ROOT) return [];
      if (depth <= MAX_DEPTH && (this.#tables.units.has(key) || this.#members.has(key))) {
        return this.#item(key, id, depth);
      }
      this.#course.warn(
        `The block ${quoted(block)} of the .cst file has the member ${quoted(id)}, which is neither a unit nor a ` +
          'block. The member is omitted.',
      );
      return [];
    });
  }

  #item(key: string, writtenId: string, depth: number): StructureItem {
    this.#budget.spend(NODES_OF_AN_ITEM);
    this.#placed.add(key);
    const unit = this.#tables.units.get(key);
    const id = unit?.id ?? writtenId;
    return {
      ...plainItem({ id, title: unit?.title ?? this.#tables.titles.get(key) ?? id }),
      isUnit: unit !== undefined,
      prerequisites: this.#prerequisites.get(key) ?? null,
      completions: this.#completions.get(key) ?? [],
      objectives: (this.#objectives.get(key) ?? []).map((objective) => this.#objective(objective)),
      children: this.#children(key, depth + 1),
    };
  }

  #objective(id: string): CourseObjective {
    this.#budget.spend(1);
    return { id, title: this.#tables.titles.get(id.toUpperCase()) ?? null };
  }

  #addCompletion(row: TableRow): void {
    const element = row.get('structure_element')?.toUpperCase();
    const requirement = row.get('requirement')?.slice(0, REQUIREMENT_CHARACTERS);
    if (!element || !requirement) return;
    this.#budget.spend(1);
    const existing = this.#completions.get(element) ?? [];
    this.#completions.set(element, existing);
    existing.push({
      requirement,
      result: row.get('result') || 'C',
      next: row.get('next') || null,
      returnTo: row.get('return') || null,
    });
  }
}

/**
 * Rows with a name and its members, by the name in upper case. A name may have several rows. The first row has the
 * column names.
 */
function groups(rows: readonly (readonly string[])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name = '', ...members] of rows.slice(1)) {
    if (name === '') continue;
    const key = name.toUpperCase();
    const existing = found.get(key) ?? [];
    found.set(key, existing);
    for (const member of members) if (member !== '') existing.push(member);
  }
  return found;
}
