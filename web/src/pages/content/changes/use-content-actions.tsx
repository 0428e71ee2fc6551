import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ContentType } from '../../../../../src/events/catalogue.ts';
import { deleteAsset } from '../../../api/content-assets.ts';
import { contentKey } from '../../../api/folders.ts';
import { AddToAccountsDialog } from '../../../components/content-dialog/add-to-accounts-dialog.tsx';
import { useAskedRows } from '../../../components/selection/use-asked-rows.ts';
import { useBulkDelete } from '../../../components/selection/use-bulk-delete.tsx';
import type { Selection } from '../../../components/selection/use-selection.ts';
import { courses } from '../../../texts/courses.ts';
import { manyAccounts } from '../../../texts/many-accounts.ts';

const words = courses.remove.many;

/** The actions on the selected courses, equivalents or bundles: buttons, and their dialogs. */
export function useContentActions<T extends { id: number; name: string }>(
  type: Exclude<ContentType, 'FOLDER'>,
  selection: Selection<T>,
): { actions: ReactNode; dialogs: ReactNode } {
  const queryClient = useQueryClient();
  const adding = useAskedRows(selection);
  const remove = useBulkDelete(selection, {
    words: words.words[type],
    nameOf: ({ name }) => name,
    description: () => (
      <>
        <p>{words.description[type]}</p>
        <p>{words.held}</p>
      </>
    ),
    act: ({ id }) => deleteAsset({ type, id }),
    onEnd: () => queryClient.invalidateQueries({ queryKey: contentKey }),
  });
  return {
    actions: (
      <>
        <Button size="xs" variant="default" onClick={adding.open}>
          {manyAccounts.add.action}
        </Button>
        {remove.button}
      </>
    ),
    dialogs: (
      <>
        <AddToAccountsDialog
          contents={adding.rows.map(({ id, name }) => ({ type, id, name }))}
          opened={adding.isOpen}
          onDone={adding.deselect}
          onClose={adding.close}
        />
        {remove.dialog}
      </>
    ),
  };
}
