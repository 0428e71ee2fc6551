import { Button, Group, Input } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { Unread } from '../../../components/unread.tsx';
import { groups } from '../../../texts/content-groups.ts';
import { shared } from '../../../texts/shared.ts';
import { FolderChoice } from '../folders/folder-choice.tsx';
import type { FolderNode } from '../folders/folder-index.ts';
import { useFolderIndex } from '../folders/use-folder-index.ts';
import styles from './groups.module.css';

/** The folder of an asset: its location, and a dialog to choose another. */
export function FolderField({
  value,
  location,
  onChange,
  error,
}: {
  value: number;
  /** The location as it was read, used until the tree is loaded. */
  location: string;
  onChange: (folderId: number) => void;
  error: string | undefined;
}) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  const [chosen, setChosen] = useState<FolderNode | null>(null);
  const tree = useFolderIndex();
  const { index } = tree;
  const node = index?.get(value);
  const close = () => {
    setOpened(false);
    setChosen(null);
  };
  return (
    <Input.Wrapper label={groups.folder} labelElement="div" id={id} error={error}>
      <div className={styles.folder}>
        <IconFolder size={18} stroke={1.5} aria-hidden />
        <bdi className={styles.folderName}>
          {index !== null && node !== undefined ? index.location(node) : location}
        </bdi>
        <Button
          variant="default"
          size="xs"
          aria-label={`${groups.folder}: ${groups.changeFolder}`}
          onClick={() => setOpened(true)}
        >
          {groups.changeFolder}
        </Button>
      </div>
      <Dialog opened={opened} onClose={close} title={groups.chooseFolder} size="md">
        {index === null ? (
          <Unread query={tree} />
        ) : (
          <>
            <FolderChoice
              index={index}
              current={value}
              chosen={chosen ?? node ?? null}
              onChoose={setChosen}
            />
            <Group justify="flex-end" gap="sm" mt="md">
              <Button variant="default" onClick={close}>
                {shared.cancel}
              </Button>
              <Button
                disabled={chosen === null}
                onClick={() => {
                  if (chosen !== null) onChange(chosen.id);
                  close();
                }}
              >
                {groups.choose}
              </Button>
            </Group>
          </>
        )}
      </Dialog>
    </Input.Wrapper>
  );
}
