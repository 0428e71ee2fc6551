import { Skeleton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, useEffect, useState } from 'react';
import { addressOf } from '../../../components/asset-link.tsx';
import { useIsAdmin } from '../../../session/session-context.ts';
import { folders } from '../../../texts/content.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useMoveDropped } from '../changes/use-move.tsx';
import { NOTHING_DRAGGED, useContent } from '../content-context.ts';
import type { FolderIndex, FolderNode } from '../folders/folder-index.ts';
import { FolderTree } from '../folders/folder-tree.tsx';
import styles from '../folders/folders.module.css';
import type { TreeDragging } from '../folders/use-row-drops.ts';
import { sortDropped } from '../uploads/chosen-files.ts';
import { holdsFiles } from '../uploads/drop-zone.tsx';
import { useUpload } from '../use-upload.ts';

const PLACEHOLDERS = ['50%', '70%', '60%', '45%', '65%'];

/** The tree that navigates the content. Courses, folders and packages can be dropped on its folders. */
export function FolderPanel({
  index,
  truncated,
  open,
  onOpened,
}: {
  /** Null while loading. */
  index: FolderIndex | null;
  truncated: boolean;
  /** The id of the open folder. */
  open: number;
  /** Called when another folder is chosen. */
  onOpened?: () => void;
}) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { expanded, setExpanded } = useContent();
  const [search, setSearch] = useState('');
  const dragging = useTreeDragging(index);

  const node = index?.get(open);
  const parents = index === null || node === undefined ? [] : index.path(node).slice(0, -1);
  /** The ids of the folders from Home to the open one. */
  const path = [...parents.map(({ id }) => id), open].join(' ');
  // When a folder is opened or moved. If only counts or other folders change, collapsed folders stay collapsed.
  useEffect(() => {
    const above = path.split(' ').slice(0, -1).map(Number);
    setExpanded((before) => (above.every((id) => before.has(id)) ? before : new Set([...before, ...above])));
  }, [path, setExpanded]);

  return (
    <div className={styles.panel}>
      <div className={styles.panelHead}>
        <TextInput
          size="xs"
          aria-label={folders.search}
          placeholder={folders.search}
          leftSection={<IconSearch size={14} stroke={1.6} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {index === null ? (
        <div aria-busy="true">
          {PLACEHOLDERS.map((width) => (
            <Skeleton key={width} height={14} my={9} mx="xs" width={width} />
          ))}
        </div>
      ) : (
        <FolderTree
          label={folders.title}
          className={styles.tree ?? ''}
          index={index}
          expanded={expanded}
          onExpandedChange={setExpanded}
          search={search}
          chosen={open}
          onChoose={({ id }) => {
            void navigate(addressOf('FOLDER', id));
            onOpened?.();
          }}
          {...(isAdmin ? { dragging } : {})}
        />
      )}
      {truncated && index !== null && (
        <div className={styles.note}>{folders.truncated(formatNumber(index.size))}</div>
      )}
    </div>
  );
}

function useTreeDragging(index: FolderIndex | null): TreeDragging {
  const { dragged } = useContent();
  const move = useMoveDropped();
  const upload = useUpload();
  const accepts = (node: FolderNode, event: DragEvent) => {
    if (holdsFiles(event)) return true;
    if (index === null || dragged.current.assets.length === 0) return false;
    return dragged.current.assets.every(({ type, id }) => {
      const folder = type === 'FOLDER' ? index.get(id) : undefined;
      return folder === undefined || !index.isWithin(node, folder);
    });
  };
  return {
    accepts,
    onDragStart: ({ id, name, parent }, event) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', name);
      const assets = parent === null ? [] : [{ type: 'FOLDER' as const, id, name, folderId: parent.id }];
      dragged.current = { assets };
    },
    onDragEnd: () => {
      dragged.current = NOTHING_DRAGGED;
    },
    onDrop: (node, event) => {
      if (holdsFiles(event)) {
        upload(sortDropped(event.dataTransfer), { kind: 'course', folderId: node.id, folderName: node.name });
        return;
      }
      move(dragged.current, node);
      dragged.current = NOTHING_DRAGGED;
    },
  };
}
