import { Menu } from '@mantine/core';
import { IconCursorText, IconFolderSymlink, IconTrash } from '@tabler/icons-react';
import { folders } from '../../../texts/content.ts';

/** The actions for folders and their content. */
export type Change = 'rename' | 'move' | 'delete';

/** The menu items that folders and courses have in common. */
export function ChangeItems({
  deleteLabel,
  onChoose,
}: {
  deleteLabel: string;
  onChoose: (change: Change) => void;
}) {
  return (
    <>
      <Menu.Item leftSection={<IconCursorText size={16} stroke={1.6} />} onClick={() => onChoose('rename')}>
        {folders.rename.action}
      </Menu.Item>
      <Menu.Item leftSection={<IconFolderSymlink size={16} stroke={1.6} />} onClick={() => onChoose('move')}>
        {folders.move.action}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => onChoose('delete')}
      >
        {deleteLabel}
      </Menu.Item>
    </>
  );
}
