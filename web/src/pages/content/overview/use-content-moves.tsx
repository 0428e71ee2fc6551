import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ContentType } from '../../../api/content-assets.ts';
import type { RowSelecting } from '../../../components/data-table.tsx';
import { useAskedRows } from '../../../components/selection/use-asked-rows.ts';
import type { Selection } from '../../../components/selection/use-selection.ts';
import type { RowDragging } from '../../../components/table-columns.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content } from '../../../texts/content.ts';
import { MoveDialog } from '../changes/move-dialog.tsx';
import { type Dragged, NOTHING_DRAGGED, useContent } from '../content-context.ts';

/** The data of a row that moving needs. */
interface Movable {
  id: number;
  name: string;
  folder_id: number;
}

/**
 * Lets administrators move rows of a list to another folder: the selected ones with a button and its dialog, or those
 * that are dragged. Viewers cannot select or drag rows.
 * @param actions other buttons for the selected rows
 */
export function useContentMoves<T extends Movable>(
  type: Exclude<ContentType, 'FOLDER'>,
  selection: Selection<T>,
  actions: ReactNode,
) {
  const isAdmin = useIsAdmin();
  const moving = useAskedRows(selection);
  // With the folders that they are in now: some may have been moved before a failure.
  const asked = moving.rows.map((row) => selection.chosen.get(row.id) ?? row);
  const { dragged } = useContent();
  const draggedOf = ({ id, name, folder_id }: T): Dragged => ({ type, id, name, folderId: folder_id });
  /** Notes where selected rows are now, because they may have left the list. */
  const keepPlaces = (rows: readonly T[]) => (assets: readonly Dragged[], folder: number) => {
    const moved = new Set(assets.map(({ id }) => id));
    selection.update(rows.filter(({ id }) => moved.has(id)).map((row) => ({ ...row, folder_id: folder })));
  };
  const dragging: RowDragging<T> = {
    onDragStart: (row, event) => {
      const rows = selection.chosen.has(row.id) ? selection.items : [row];
      dragged.current = {
        assets: rows.map(draggedOf),
        onMoved: keepPlaces(rows),
      };
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', content.dragging(type, rows.length));
    },
    onDragEnd: () => {
      dragged.current = NOTHING_DRAGGED;
    },
  };
  const selecting: RowSelecting<T> = {
    selection,
    nameOf: ({ name }) => name,
    actions: (
      <>
        <Button size="xs" onClick={moving.open}>
          {content.moveSelected}
        </Button>
        {actions}
      </>
    ),
  };
  return {
    ...(isAdmin ? { dragging, selecting } : {}),
    dialog: (
      <MoveDialog
        opened={moving.isOpen}
        assets={asked.map(draggedOf)}
        onMoved={moving.deselect}
        onPartly={keepPlaces(asked)}
        onClose={moving.close}
      />
    ),
  };
}
