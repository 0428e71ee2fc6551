import { type MouseEvent, useEffect, useId } from 'react';
import { folders } from '../../../texts/content.ts';
import type { FolderIndex, FolderNode, TreeRow } from './folder-index.ts';
import { FolderRow } from './folder-row.tsx';
import styles from './folder-tree.module.css';
import { useActiveRow } from './use-active-row.ts';
import { type TreeDragging, useRowDrops } from './use-row-drops.ts';
import { useTreeKeys } from './use-tree-keys.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/**
 * A tree of folders that follows the WAI-ARIA authoring practices: arrow keys, Home and End, typing a name, Enter. Only
 * visible rows are rendered, because there may be twenty thousand.
 */
export function FolderTree({
  label,
  index,
  expanded,
  onExpandedChange,
  search,
  chosen,
  onChoose,
  isDisabled = () => false,
  dragging,
  className = '',
}: {
  label: string;
  index: FolderIndex;
  expanded: ReadonlySet<number>;
  onExpandedChange: (change: (expanded: ReadonlySet<number>) => ReadonlySet<number>) => void;
  search: string;
  chosen: number | null;
  onChoose: (node: FolderNode) => void;
  isDisabled?: (node: FolderNode) => boolean;
  dragging?: TreeDragging;
  className?: string;
}) {
  const treeId = useId();
  const elementIdOf = ({ id }: FolderNode) => `${treeId}-${id}`;
  const rows = index.rows(expanded, search);
  const { box, rowHeight, virtualizer } = useVirtualRows(rows.length);
  const { activeIndex, setActiveId, goTo } = useActiveRow(rows, chosen, index.home.id, (at) =>
    virtualizer.scrollToIndex(at),
  );
  const active = rows[activeIndex];

  // The results of another search are shown from the start.
  useEffect(() => {
    if (box.current !== null && search !== '') box.current.scrollTop = 0;
  }, [box, search]);

  const setOpen = (node: FolderNode, open: boolean) =>
    onExpandedChange((before) => {
      const after = new Set(before);
      if (open) after.add(node.id);
      else after.delete(node.id);
      return after;
    });
  const choose = ({ node }: TreeRow) => {
    setActiveId(node.id);
    if (!isDisabled(node)) onChoose(node);
  };
  const toggle = ({ node, expanded: isOpen }: TreeRow) => {
    setActiveId(node.id);
    setOpen(node, isOpen !== true);
  };
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const clicked = target.closest('[role="treeitem"]');
    const row = rows.find(({ node }) => elementIdOf(node) === clicked?.id);
    if (row === undefined) return;
    if (target.closest('[data-toggle]') === null) choose(row);
    else toggle(row);
  };
  const onKeyDown = useTreeKeys({
    rows,
    activeIndex,
    onGo: goTo,
    onExpand: ({ node }, isExpanded) => setOpen(node, isExpanded),
    onChoose: choose,
  });
  const { target, dragProps } = useRowDrops(dragging, (node) => setOpen(node, true));

  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      tabIndex={0}
      className={`${styles.tree} ${className}`}
      {...(active === undefined ? {} : { 'aria-activedescendant': elementIdOf(active.node) })}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 ? (
        <div className={styles.nothing}>{folders.nothingFound}</div>
      ) : (
        <div className={styles.space} style={{ height: virtualizer.getTotalSize() }} role="presentation">
          {virtualizer.getVirtualItems().flatMap(({ index: at, start }) => {
            const row = rows[at];
            return row === undefined ? (
              []
            ) : (
              <FolderRow
                key={row.node.id}
                id={elementIdOf(row.node)}
                row={row}
                top={start}
                height={rowHeight}
                isActive={at === activeIndex}
                isChosen={row.node.id === chosen}
                isTarget={row.node.id === target}
                isDisabled={isDisabled(row.node)}
                dragProps={dragProps(row)}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}
