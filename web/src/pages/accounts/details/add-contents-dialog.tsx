import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { CONTENT_TYPES } from '../../../../../src/events/catalogue.ts';
import { accountsKey, addAccountContents, MAX_ADDED_AT_ONCE } from '../../../api/accounts.ts';
import type { AddableContent } from '../../../api/addable-content.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { keyOf } from '../../../components/content-dialog/asset-key.ts';
import { ContentDialog } from '../../../components/content-dialog/content-dialog.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { accounts } from '../../../texts/accounts.ts';

const texts = accounts.contents.add;

/** Adds content to an account. */
export function AddContentsDialog({
  account,
  opened,
  onClose,
}: {
  account: { id: number; name: string };
  opened: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const sent = useRef({ assets: '', key: '' });
  const add = useMutation({
    mutationFn: (assets: readonly AddableContent[]) => {
      // The same assets are sent with the same key.
      const text = assets.map(keyOf).join();
      if (sent.current.assets !== text) sent.current = { assets: text, key: newIdempotencyKey() };
      return addAccountContents(account.id, assets, sent.current.key);
    },
    onSuccess: async ({ added, unchanged }) => {
      notifyDone(texts.done(added.length, unchanged.length));
      sent.current = { assets: '', key: '' };
      onClose();
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
  });
  const close = () => {
    add.reset();
    onClose();
  };
  return (
    <ContentDialog
      opened={opened}
      title={texts.title(account.name)}
      types={CONTENT_TYPES}
      accountId={account.id}
      max={MAX_ADDED_AT_ONCE}
      note={(chosen) =>
        `${chosen.some(({ type }) => type === 'FOLDER') ? `${texts.folder} ` : ''}${texts.event}`
      }
      error={add.error}
      saving={add.isPending}
      onAdd={(assets) => add.mutate(assets)}
      onClose={close}
    />
  );
}
