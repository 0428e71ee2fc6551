import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccountContent, accountsKey, removeAccountContent } from '../../../api/accounts.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { keyOf } from '../../../components/content-dialog/asset-key.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { accounts } from '../../../texts/accounts.ts';
import styles from '../accounts.module.css';

const texts = accounts.contents.remove;
const MAX_NAMED = 8;

/** Removes content from an account, one item after another. After a failure, it continues with the rest. */
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
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const remove = useMutation({
    mutationFn: async (those: readonly AccountContent[]) => {
      for (const [done, asset] of those.entries()) {
        setProgress({ done, total: those.length });
        await removeAccountContent(accountId, asset);
        onRemoved(asset);
      }
      return those.length;
    },
    onSuccess: (count) => {
      notifyDone(texts.done(count));
      onClose();
    },
    onSettled: async () => {
      setProgress(null);
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title(assets[0]?.name ?? '', assets.length)}
      confirmLabel={texts.confirm}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (!remove.isPending) remove.mutate(assets);
      }}
      onClose={() => {
        if (remove.isPending) return;
        remove.reset();
        onClose();
      }}
    >
      {assets.length > 1 && (
        <ul className={styles.list}>
          {assets.slice(0, MAX_NAMED).map((asset) => (
            <li key={keyOf(asset)}>
              <bdi className={styles.wrapped}>{asset.name}</bdi>
            </li>
          ))}
          {assets.length > MAX_NAMED && <li>{texts.more(assets.length - MAX_NAMED)}</li>}
        </ul>
      )}
      <p>{texts.description}</p>
      <p>{texts.event}</p>
      <div role="status">{progress !== null && texts.progress(progress.done, progress.total)}</div>
    </ConfirmDialog>
  );
}
