import { useQueryClient } from '@tanstack/react-query';
import { type AccountContent, accountsKey, removeAccountContent } from '../../../api/accounts.ts';
import { BulkDialog } from '../../../components/selection/bulk-dialog.tsx';
import { accounts } from '../../../texts/accounts.ts';

const texts = accounts.contents.remove;

/** Removes content from an account, one item after another. */
export function RemoveContentsDialog({
  accountId,
  assets,
  opened,
  onRemoved,
  onClose,
}: {
  accountId: number;
  assets: readonly AccountContent[];
  opened: boolean;
  /** Called after each item. */
  onRemoved: (asset: AccountContent) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  return (
    <BulkDialog
      opened={opened}
      items={assets.map((row) => ({ row, name: row.name }))}
      words={texts.words}
      act={(asset) => removeAccountContent(accountId, asset)}
      onDone={onRemoved}
      onEnd={() => queryClient.invalidateQueries({ queryKey: accountsKey })}
      onClose={onClose}
    >
      <p>{texts.description}</p>
      <p>{texts.event}</p>
    </BulkDialog>
  );
}
