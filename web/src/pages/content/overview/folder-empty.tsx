import { Button } from '@mantine/core';
import { IconBook2, IconBooks, IconLanguage } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import type { TableState } from '../../../components/use-table.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content } from '../../../texts/content.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import type { ContentKind } from './content-kinds.ts';
import styles from './overview.module.css';

const ICONS = { courses: IconBook2, equivalents: IconLanguage, bundles: IconBooks } as const;

/** The folder, as its lists need it. */
export interface FolderParts {
  folderId: number;
  folderName: string;
  /** The content in the folder and below it; null while loading. */
  counts: Record<ContentKind, number> | null;
  isHome: boolean;
}

/** Shown in a folder without content of a kind: what that is, how to create it, and where to find others. */
export function FolderEmpty({
  kind,
  counts,
  isHome,
  recursive,
  table,
  action,
}: Pick<FolderParts, 'counts' | 'isHome'> & {
  kind: ContentKind;
  recursive: boolean;
  table: TableState;
  action: ReactNode;
}) {
  const isAdmin = useIsAdmin();
  const words = content.empty[kind];
  const below = recursive ? 0 : (counts?.[kind] ?? 0);
  return (
    <EmptyState
      icon={ICONS[kind]}
      title={isHome && below === 0 ? words.home : words.title}
      description={
        <>
          {isAdmin ? words.description : words.viewer}
          {below > 0 && ` ${words.below(formatNumber(below))}`}
        </>
      }
      action={
        <div className={styles.emptyActions}>
          {below > 0 && (
            <Button variant="default" onClick={() => table.change({ below: isHome ? undefined : 'yes' })}>
              {content.below}
            </Button>
          )}
          {isAdmin && action}
        </div>
      }
    />
  );
}
