import { type DragEvent, type HTMLAttributes, useEffect, useRef, useState } from 'react';
import type { FolderNode, TreeRow } from './folder-index.ts';

const OPEN_WHILE_DRAGGING_MS = 700;

/** Drag and drop on folders. Without it, nothing can be dropped and folders cannot be dragged. */
export interface TreeDragging {
  onDragStart: (node: FolderNode, event: DragEvent) => void;
  onDragEnd: () => void;
  accepts: (node: FolderNode, event: DragEvent) => boolean;
  onDrop: (node: FolderNode, event: DragEvent) => void;
}

/** The properties of the element of a row that concern drag and drop. */
export type RowDragProps = Pick<
  HTMLAttributes<HTMLElement>,
  'draggable' | 'onDragStart' | 'onDragEnd' | 'onDragOver' | 'onDragLeave' | 'onDrop'
>;

/**
 * Drag and drop on the rows of a tree: which row is the target, and the properties of each row. A row expands while
 * something is dragged over it.
 */
export function useRowDrops(dragging: TreeDragging | undefined, expand: (node: FolderNode) => void) {
  const [target, setTarget] = useState<number | null>(null);
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(opening.current), []);
  const end = () => {
    clearTimeout(opening.current);
    setTarget(null);
  };
  const dragProps = ({ node, expanded }: TreeRow): RowDragProps => {
    if (dragging === undefined) return {};
    return {
      draggable: node.parent !== null,
      onDragStart: (event) => dragging.onDragStart(node, event),
      onDragEnd: () => {
        end();
        dragging.onDragEnd();
      },
      onDragOver: (event) => {
        if (target !== node.id) {
          end();
          setTarget(dragging.accepts(node, event) ? node.id : null);
          if (expanded === false) opening.current = setTimeout(() => expand(node), OPEN_WHILE_DRAGGING_MS);
        }
        if (dragging.accepts(node, event)) event.preventDefault();
      },
      onDragLeave: end,
      onDrop: (event) => {
        end();
        if (!dragging.accepts(node, event)) return;
        event.preventDefault();
        dragging.onDrop(node, event);
      },
    };
  };
  return { target, dragProps };
}
