import { type DragEvent, useState } from 'react';
import type { GroupItem } from './group-draft.ts';

/**
 * Drag and drop within a list.
 * @param onDrop receives the key of the dragged item, and its new place
 */
export function useItemDrag(onDrop: (key: string, to: number) => void) {
  const [dragging, setDragging] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const end = () => {
    setDragging(null);
    setOver(null);
  };
  return {
    /** The properties of the element that an item is dragged by. */
    grip: ({ key, name }: GroupItem) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        setDragging(key);
      },
      onDragEnd: end,
    }),
    /** The properties of the element of an item, on which another one can be dropped. */
    target: (key: string, at: number) => ({
      'data-dragging': dragging === key || undefined,
      'data-over': (over === key && dragging !== key) || undefined,
      onDragOver: (event: DragEvent) => {
        if (dragging === null) return;
        event.preventDefault();
        setOver(key);
      },
      onDrop: (event: DragEvent) => {
        if (dragging === null) return;
        event.preventDefault();
        onDrop(dragging, at);
        end();
      },
    }),
  };
}
