import { type FolderOverview, HOME_ID } from '../../../api/folders.ts';

/** A folder in the tree. */
export interface FolderNode {
  id: number;
  name: string;
  parent: FolderNode | null;
  /** In order of their names. */
  children: FolderNode[];
  /** The content directly in it. */
  courses: number;
  equivalents: number;
  bundles: number;
}

/** A row of the tree. */
export interface TreeRow {
  node: FolderNode;
  /** 1 for Home. */
  level: number;
  position: number;
  setSize: number;
  /** Null if it has no subfolders. */
  expanded: boolean | null;
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const PATH_SEPARATOR = ' > ';

/** All folders as a tree. In a truncated list, folders without their parents are omitted. */
export class FolderIndex {
  readonly home: FolderNode;
  readonly size: number;
  readonly #byId = new Map<number, FolderNode>();

  constructor(folders: readonly FolderOverview[]) {
    for (const folder of folders) this.#byId.set(folder.id, nodeOf(folder));
    const root = folders.find(({ parent_id }) => parent_id === null);
    this.home = (root === undefined ? undefined : this.#byId.get(root.id)) ?? emptyHome();
    for (const { id, parent_id } of folders) {
      const node = this.#byId.get(id);
      const parent = parent_id === null ? undefined : this.#byId.get(parent_id);
      if (node === undefined || parent === undefined) continue;
      node.parent = parent;
      parent.children.push(node);
    }
    for (const { children } of this.#byId.values())
      children.sort((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
    this.size = this.#byId.size;
  }

  get(id: number): FolderNode | undefined {
    return this.#byId.get(id);
  }

  /** The folders from Home to this folder. */
  path(node: FolderNode): FolderNode[] {
    const path: FolderNode[] = [];
    for (let at: FolderNode | null = node; at !== null; at = at.parent) path.unshift(at);
    return path;
  }

  /** `Home > Safety > 2026` */
  location(node: FolderNode): string {
    return this.path(node)
      .map(({ name }) => name)
      .join(PATH_SEPARATOR);
  }

  /** Whether it is the other folder or below it. */
  isWithin(node: FolderNode, other: FolderNode): boolean {
    return this.path(node).includes(other);
  }

  /** How much content is in the folder and below it. */
  countsBelow(node: FolderNode): { courses: number; equivalents: number; bundles: number } {
    const counts = { courses: 0, equivalents: 0, bundles: 0 };
    const open = [node];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      counts.courses += at.courses;
      counts.equivalents += at.equivalents;
      counts.bundles += at.bundles;
      open.push(...at.children);
    }
    return counts;
  }

  /** The rows of the tree: those of expanded folders or, with a search, the matching folders and their ancestors. */
  rows(expanded: ReadonlySet<number>, search: string): TreeRow[] {
    const text = search.trim().toLocaleLowerCase();
    const shown = text === '' ? null : this.#fitting(text);
    const rows: TreeRow[] = [];
    const add = (node: FolderNode, level: number, position: number, setSize: number) => {
      const children = shown === null ? node.children : node.children.filter((child) => shown.has(child));
      const isOpen = shown !== null || expanded.has(node.id);
      rows.push({ node, level, position, setSize, expanded: children.length === 0 ? null : isOpen });
      if (!isOpen) return;
      for (const [at, child] of children.entries()) add(child, level + 1, at + 1, children.length);
    };
    if (shown === null || shown.has(this.home)) add(this.home, 1, 1, 1);
    return rows;
  }

  #fitting(text: string): Set<FolderNode> {
    const shown = new Set<FolderNode>();
    for (const node of this.#byId.values()) {
      if (!node.name.toLocaleLowerCase().includes(text) && String(node.id) !== text) continue;
      for (const above of this.path(node)) shown.add(above);
    }
    return shown;
  }
}

function nodeOf({ id, name, course_count, equivalent_count, bundle_count }: FolderOverview): FolderNode {
  return {
    id,
    name,
    parent: null,
    children: [],
    courses: course_count,
    equivalents: equivalent_count,
    bundles: bundle_count,
  };
}

function emptyHome(): FolderNode {
  return {
    id: HOME_ID,
    name: 'Home',
    parent: null,
    children: [],
    courses: 0,
    equivalents: 0,
    bundles: 0,
  };
}
