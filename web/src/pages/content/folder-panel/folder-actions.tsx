import { Menu } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { HOME_ID } from '../../../api/folders.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { MoreMenu } from '../../../components/more-menu.tsx';
import { useLeave } from '../../../navigation/use-leave.ts';
import { folders } from '../../../texts/content.ts';
import { type Change, ChangeItems } from '../changes/change-items.tsx';
import { DeleteDialog } from '../changes/delete-dialog.tsx';
import { MoveDialog } from '../changes/move-dialog.tsx';
import { CreateFolderDialog, RenameDialog } from '../changes/name-dialog.tsx';
import { useContent } from '../content-context.ts';
import type { FolderNode } from '../folders/folder-index.ts';

/** The actions for the open folder. */
export function FolderActions({
  folder,
  parentId,
}: {
  folder: FolderNode;
  /** Not part of a folder that the tree omits. */
  parentId: number;
}) {
  const [dialog, setDialog] = useState<'create' | Change | null>(null);
  const leave = useLeave();
  const { setExpanded } = useContent();
  const close = () => setDialog(null);
  const isHome = folder.id === HOME_ID;
  const asset = { type: 'FOLDER', id: folder.id, name: folder.name } as const;
  return (
    <>
      <MoreMenu label={folders.menu(folder.name)}>
        <Menu.Item
          leftSection={<IconFolderPlus size={16} stroke={1.6} />}
          onClick={() => setDialog('create')}
        >
          {folders.create.action}
        </Menu.Item>
        {!isHome && <ChangeItems deleteLabel={folders.remove.action} onChoose={setDialog} />}
      </MoreMenu>
      <CreateFolderDialog
        opened={dialog === 'create'}
        parent={folder}
        onCreated={(id) => {
          setExpanded((before) => new Set([...before, folder.id]));
          void leave(addressOf('FOLDER', id));
        }}
        onClose={close}
      />
      <RenameDialog opened={dialog === 'rename'} asset={asset} onClose={close} />
      <MoveDialog opened={dialog === 'move'} assets={[{ ...asset, folderId: parentId }]} onClose={close} />
      <DeleteDialog
        opened={dialog === 'delete'}
        asset={asset}
        folder={folder}
        onDeleted={() => void leave(addressOf('FOLDER', parentId))}
        onClose={close}
      />
    </>
  );
}
