import type { TreeRow } from './folder-index.ts';

/** The effect of a key in a tree: go to another row, or expand or collapse the active one. */
export type TreeStep = { kind: 'go'; index: number } | { kind: 'open' } | { kind: 'close' };

/** The effect of a key, following the WAI-ARIA authoring practices; null if it has none. */
export function rowAfterKey(key: string, rows: readonly TreeRow[], active: number): TreeStep | null {
  const row = rows[active];
  if (row === undefined) return null;
  const go = (index: number): TreeStep => ({ kind: 'go', index: clamp(index, rows.length) });
  switch (key) {
    case 'ArrowDown':
      return go(active + 1);
    case 'ArrowUp':
      return go(active - 1);
    case 'PageDown':
      return go(active + 10);
    case 'PageUp':
      return go(active - 10);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      if (row.expanded === false) return { kind: 'open' };
      return row.expanded === true ? go(active + 1) : go(active);
    case 'ArrowLeft': {
      if (row.expanded === true) return { kind: 'close' };
      const parent = rows.findLastIndex(({ level }, at) => at < active && level < row.level);
      return go(parent < 0 ? active : parent);
    }
    default:
      return null;
  }
}

/**
 * The next row whose name begins with the typed text, starting at the active row and wrapping around; null if none.
 */
export function typedMatch(rows: readonly TreeRow[], active: number, typed: string): number | null {
  const text = typed.trim().toLocaleLowerCase();
  if (text === '') return null;
  // A single letter moves on to the next match. More letters may still match the active row.
  const from = Array.from(text).length === 1 ? active + 1 : active;
  for (let step = 0; step < rows.length; step += 1) {
    const at = (from + step) % rows.length;
    if (rows[at]?.node.name.toLocaleLowerCase().startsWith(text)) return at;
  }
  return null;
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
