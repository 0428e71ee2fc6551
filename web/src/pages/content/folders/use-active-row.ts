import { useEffect, useEffectEvent, useState } from 'react';
import type { TreeRow } from './folder-index.ts';

/**
 * The row of a tree that its keys refer to. It follows the chosen folder.
 * @param chosen the id of the chosen folder; null if none is
 * @param homeId the id of Home, which is active at first if no folder is chosen
 * @param scrollTo shows the row at an index
 */
export function useActiveRow(
  rows: readonly TreeRow[],
  chosen: number | null,
  homeId: number,
  scrollTo: (index: number) => void,
) {
  const [activeId, setActiveId] = useState(chosen ?? homeId);
  const indexOf = (id: number) => rows.findIndex(({ node }) => node.id === id);
  const follow = useEffectEvent((id: number) => {
    setActiveId(id);
    const at = indexOf(id);
    if (at >= 0) scrollTo(at);
  });
  // Only when another folder is opened, in any way, and after the rows are loaded.
  const opened = rows.length > 1 ? chosen : null;
  useEffect(() => {
    if (opened !== null) follow(opened);
  }, [opened]);
  return {
    /** 0 if the active folder has no row. */
    activeIndex: Math.max(0, indexOf(activeId)),
    /** Makes the row of a folder active where it is. */
    setActiveId,
    /** Makes the row at an index active and shows it. */
    goTo: (index: number) => {
      const row = rows[index];
      if (row === undefined) return;
      setActiveId(row.node.id);
      scrollTo(index);
    },
  };
}
