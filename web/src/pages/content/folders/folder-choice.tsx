import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { folders } from '../../../texts/content.ts';
import type { FolderIndex, FolderNode } from './folder-index.ts';
import { FolderTree } from './folder-tree.tsx';
import styles from './folders.module.css';

/** A tree to choose a folder in, with a search. */
export function FolderChoice({
  index,
  current,
  chosen,
  onChoose,
  isDisabled,
}: {
  index: FolderIndex;
  current: number;
  chosen: FolderNode | null;
  onChoose: (node: FolderNode) => void;
  isDisabled?: (node: FolderNode) => boolean;
}) {
  const [search, setSearch] = useState('');
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(() => {
    const node = index.get(current);
    return new Set([index.home.id, ...(node === undefined ? [] : index.path(node).map(({ id }) => id))]);
  });
  return (
    <div>
      <TextInput
        aria-label={folders.search}
        placeholder={folders.search}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-autofocus
        mb="xs"
      />
      <FolderTree
        label={folders.title}
        className={styles.choice ?? ''}
        index={index}
        expanded={expanded}
        onExpandedChange={setExpanded}
        search={search}
        chosen={chosen?.id ?? null}
        onChoose={onChoose}
        {...(isDisabled === undefined ? {} : { isDisabled })}
      />
      <div className={styles.location}>{chosen === null ? ' ' : <bdi>{index.location(chosen)}</bdi>}</div>
    </div>
  );
}
