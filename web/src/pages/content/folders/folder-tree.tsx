import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronRight, IconFolder, IconFolderOpen, IconHome2 } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type DragEvent,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { folders } from '../../../texts/content.ts';
import type { FolderIndex, FolderNode, TreeRow } from './folder-index.ts';
import styles from './folder-tree.module.css';
import { rowAfterKey, typedMatch } from './tree-keys.ts';

const ROW_HEIGHT = 32;
const TOUCH_ROW_HEIGHT = 44;
/** Rows beyond the edges, so that scrolling shows no gaps. */
const OVERSCAN = 8;
/** The size of the box until it is measured. */
const FIRST_RECT = { width: 0, height: 600 };
/** Deeper folders are not indented further, to leave room for their names. */
const MAX_INDENT_LEVEL = 12;
const TYPING_MS = 700;
const OPEN_WHILE_DRAGGING_MS = 700;

/** Drag and drop on folders. Without it, nothing can be dropped and folders cannot be dragged. */
export interface TreeDragging {
  onDragStart: (node: FolderNode, event: DragEvent) => void;
  onDragEnd: () => void;
  accepts: (node: FolderNode, event: DragEvent) => boolean;
  onDrop: (node: FolderNode, event: DragEvent) => void;
}

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
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery('(pointer: coarse)') === true ? TOUCH_ROW_HEIGHT : ROW_HEIGHT;
  const rows = index.rows(expanded, search);
  const [activeId, setActiveId] = useState(chosen ?? index.home.id);
  const [target, setTarget] = useState<number | null>(null);
  const typed = useRef({ text: '', at: 0 });
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    initialRect: FIRST_RECT,
  });
  useEffect(() => {
    if (rowHeight > 0) virtualizer.measure();
  }, [virtualizer, rowHeight]);
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ node }) => node.id === activeId),
  );

  const follow = useEffectEvent((id: number) => {
    setActiveId(id);
    const at = rows.findIndex(({ node }) => node.id === id);
    if (at >= 0) virtualizer.scrollToIndex(at);
  });
  // Only when another folder is opened, in any way, and after the rows are loaded.
  const opened = rows.length > 1 ? chosen : null;
  useEffect(() => {
    if (opened !== null) follow(opened);
  }, [opened]);
  // The results of another search are shown from the start.
  useEffect(() => {
    if (box.current !== null && search !== '') box.current.scrollTop = 0;
  }, [search]);
  useEffect(() => () => clearTimeout(opening.current), []);

  const setOpen = (node: FolderNode, open: boolean) =>
    onExpandedChange((before) => {
      const after = new Set(before);
      if (open) after.add(node.id);
      else after.delete(node.id);
      return after;
    });
  const activate = (at: number) => {
    const row = rows[at];
    if (row === undefined) return;
    setActiveId(row.node.id);
    virtualizer.scrollToIndex(at);
  };
  const choose = ({ node }: TreeRow) => {
    setActiveId(node.id);
    if (!isDisabled(node)) onChoose(node);
  };
  const toggle = ({ node, expanded: isOpen }: TreeRow) => {
    setActiveId(node.id);
    setOpen(node, isOpen !== true);
  };
  const endDrag = () => {
    clearTimeout(opening.current);
    setTarget(null);
  };

  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      tabIndex={0}
      className={`${styles.tree} ${className}`}
      {...(rows.length === 0 ? {} : { 'aria-activedescendant': `${treeId}-${rows[activeIndex]?.node.id}` })}
      onClick={({ target }) => {
        if (!(target instanceof Element)) return;
        const clicked = target.closest('[role="treeitem"]');
        const row = rows.find(({ node }) => `${treeId}-${node.id}` === clicked?.id);
        if (row === undefined) return;
        if (target.closest('[data-toggle]') === null) choose(row);
        else toggle(row);
      }}
      onKeyDown={(event) => {
        const active = rows[activeIndex];
        if (active === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        const step = rowAfterKey(event.key, rows, activeIndex);
        if (step !== null) {
          event.preventDefault();
          if (step.kind === 'go') activate(step.index);
          else setOpen(active.node, step.kind === 'open');
        } else if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          choose(active);
        } else if (event.key.length === 1) {
          const { text, at } = typed.current;
          typed.current = {
            text: event.timeStamp - at < TYPING_MS ? text + event.key : event.key,
            at: event.timeStamp,
          };
          const match = typedMatch(rows, activeIndex, typed.current.text);
          if (match !== null) activate(match);
        }
      }}
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
              <Row
                key={row.node.id}
                id={`${treeId}-${row.node.id}`}
                row={row}
                style={{
                  transform: `translateY(${start}px)`,
                  height: rowHeight,
                  paddingInlineStart: `${0.25 + 0.875 * Math.min(row.level - 1, MAX_INDENT_LEVEL)}rem`,
                }}
                isActive={at === activeIndex}
                isChosen={row.node.id === chosen}
                isTarget={row.node.id === target}
                isDisabled={isDisabled(row.node)}
                {...(dragging === undefined
                  ? {}
                  : {
                      draggable: row.node.parent !== null,
                      onDragStart: (event: DragEvent) => dragging.onDragStart(row.node, event),
                      onDragEnd: () => {
                        endDrag();
                        dragging.onDragEnd();
                      },
                      onDragOver: (event: DragEvent) => {
                        if (target !== row.node.id) {
                          endDrag();
                          setTarget(dragging.accepts(row.node, event) ? row.node.id : null);
                          if (row.expanded === false)
                            opening.current = setTimeout(
                              () => setOpen(row.node, true),
                              OPEN_WHILE_DRAGGING_MS,
                            );
                        }
                        if (dragging.accepts(row.node, event)) event.preventDefault();
                      },
                      onDragLeave: endDrag,
                      onDrop: (event: DragEvent) => {
                        endDrag();
                        if (!dragging.accepts(row.node, event)) return;
                        event.preventDefault();
                        dragging.onDrop(row.node, event);
                      },
                    })}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}

function Row({
  id,
  row: { node, level, position, setSize, expanded },
  style,
  isActive,
  isChosen,
  isTarget,
  isDisabled,
  ...dragging
}: {
  id: string;
  row: TreeRow;
  style: CSSProperties;
  isActive: boolean;
  isChosen: boolean;
  isTarget: boolean;
  isDisabled: boolean;
  draggable?: boolean;
  onDragStart?: (event: DragEvent) => void;
  onDragEnd?: () => void;
  onDragOver?: (event: DragEvent) => void;
  onDragLeave?: () => void;
  onDrop?: (event: DragEvent) => void;
}) {
  const Icon = node.parent === null ? IconHome2 : isChosen ? IconFolderOpen : IconFolder;
  const total = node.courses + node.equivalents + node.bundles;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row (aria-activedescendant).
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
      style={style}
      data-active={isActive || undefined}
      data-chosen={isChosen || undefined}
      data-target={isTarget || undefined}
      title={node.name}
      {...dragging}
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
          {total}
        </span>
      )}
    </div>
  );
}
