import { VisuallyHidden } from '@mantine/core';
import { IconChevronRight, IconFolder, IconFolderOpen, IconHome2 } from '@tabler/icons-react';
import { folders } from '../../../texts/content.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import type { TreeRow } from './folder-index.ts';
import styles from './folder-tree.module.css';
import type { RowDragProps } from './use-row-drops.ts';

/** Deeper folders are not indented further, to leave room for their names. */
const MAX_INDENT_LEVEL = 12;

/** A folder in the tree. */
export function FolderRow({
  id,
  row: { node, level, position, setSize, expanded },
  top,
  height,
  isActive,
  isChosen,
  isTarget,
  isDisabled,
  dragProps,
}: {
  /** The id of its element. */
  id: string;
  row: TreeRow;
  /** The distance from the start of the tree, in pixels. */
  top: number;
  /** In pixels. */
  height: number;
  /** Whether the keys refer to it. */
  isActive: boolean;
  isChosen: boolean;
  /** Whether something that it accepts is dragged over it. */
  isTarget: boolean;
  isDisabled: boolean;
  dragProps: RowDragProps;
}) {
  const Icon = node.parent === null ? IconHome2 : isChosen ? IconFolderOpen : IconFolder;
  const total = node.courses + node.equivalents + node.bundles;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree keeps the focus, which a row would lose when it scrolls out of view, and names its active row (aria-activedescendant).
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      aria-selected={isChosen}
      aria-disabled={isDisabled || undefined}
      {...(expanded === null ? {} : { 'aria-expanded': expanded })}
      className={styles.row}
      style={{
        transform: `translateY(${top}px)`,
        height,
        paddingInlineStart: `${0.25 + 0.875 * Math.min(level - 1, MAX_INDENT_LEVEL)}rem`,
      }}
      data-active={isActive || undefined}
      data-chosen={isChosen || undefined}
      data-target={isTarget || undefined}
      title={node.name}
      {...dragProps}
    >
      {expanded === null ? (
        <span className={styles.toggle} />
      ) : (
        <span className={styles.toggle} data-toggle data-open={expanded || undefined}>
          <IconChevronRight size={14} stroke={2} aria-hidden />
        </span>
      )}
      <Icon size={17} stroke={1.5} aria-hidden className={styles.icon} />
      <bdi className={styles.name}>{node.name}</bdi>
      <VisuallyHidden>, {folders.count(node.courses, node.equivalents, node.bundles)}</VisuallyHidden>
      {total > 0 && (
        <span className={styles.count} aria-hidden>
          {formatNumber(total)}
        </span>
      )}
    </div>
  );
}
