import { Button } from '@mantine/core';
import { useState } from 'react';
import type { CourseOverview } from '../../../api/courses.ts';
import type { Selection } from '../../../components/selection/use-selection.ts';
import type { RowDragging } from '../../../components/table-columns.ts';
import { content } from '../../../texts/content.ts';
import { MoveDialog } from '../changes/move-dialog.tsx';
import { type Dragged, NOTHING_DRAGGED, useContent } from '../content-context.ts';

/** Moves courses of a list to another folder: the selected ones with a button and its dialog, or those that are dragged. */
export function useCourseMoves(selection: Selection<CourseOverview>) {
  const [moving, setMoving] = useState(false);
  const { dragged } = useContent();
  /** Notes where selected courses are now, because they may have left the list. */
  const keepPlaces = (rows: readonly CourseOverview[]) => (assets: readonly Dragged[], folder: number) => {
    const moved = new Set(assets.map(({ id }) => id));
    selection.update(rows.filter(({ id }) => moved.has(id)).map((row) => ({ ...row, folder_id: folder })));
  };
  const dragging: RowDragging<CourseOverview> = {
    onDragStart: (course, event) => {
      const rows = selection.chosen.has(course.id) ? selection.items : [course];
      dragged.current = {
        assets: rows.map(draggedOf),
        onMoved: keepPlaces(rows),
      };
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', content.dragging(rows.length));
    },
    onDragEnd: () => {
      dragged.current = NOTHING_DRAGGED;
    },
  };
  return {
    dragging,
    button: (
      <Button size="xs" onClick={() => setMoving(true)}>
        {content.moveSelected}
      </Button>
    ),
    dialog: (
      <MoveDialog
        opened={moving}
        assets={selection.items.map(draggedOf)}
        onMoved={selection.clear}
        onPartly={keepPlaces(selection.items)}
        onClose={() => setMoving(false)}
      />
    ),
  };
}

function draggedOf({ id, name, folder_id }: CourseOverview): Dragged {
  return { type: 'COURSE', id, name, folderId: folder_id };
}
