import type { ContentReference } from '../../../../../src/events/event.ts';
import type { AccountWithContent } from '../../../api/many-accounts.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { useManyAccounts } from '../../../components/use-many-accounts.ts';
import { manyAccounts } from '../../../texts/many-accounts.ts';

const texts = manyAccounts.remove;

/** Removes an asset from the accounts that have it directly. The others keep it, and the dialog shows their number. */
export function RemoveFromAccountsDialog({
  asset,
  accounts,
  opened,
  onRemoved,
  onClose,
}: {
  asset: ContentReference & { name: string };
  accounts: readonly AccountWithContent[];
  opened: boolean;
  onRemoved: () => void;
  onClose: () => void;
}) {
  const { change, progress, stop } = useManyAccounts('remove', () => {
    onRemoved();
    onClose();
  });
  const direct = accounts.filter((account) => hasDirectly(account, asset));
  const indirect = accounts.length - direct.length;
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title(asset.name, direct.length)}
      confirmLabel={texts.confirm}
      pending={change.isPending}
      error={change.error}
      onConfirm={() => {
        if (change.isPending) return;
        change.mutate({ accountIds: direct.map(({ account_id }) => account_id), contents: [asset] });
      }}
      onClose={() => {
        stop();
        change.reset();
        onClose();
      }}
    >
      <p>{texts.description}</p>
      {indirect > 0 && <p>{texts.indirect(indirect)}</p>}
      <p>{texts.event}</p>
      <div role="status">{progress}</div>
    </ConfirmDialog>
  );
}

/** Whether an account has an asset directly, so that it can be removed. */
export function hasDirectly({ through }: AccountWithContent, asset: ContentReference): boolean {
  return through.some(({ type, id }) => type === asset.type && id === asset.id);
}
