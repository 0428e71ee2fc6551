import { useEffect, useEffectEvent, useState } from 'react';
import { CONTENT_TYPES } from '../../../../../src/events/catalogue.ts';
import { MAX_ADDED_AT_ONCE } from '../../../api/accounts.ts';
import { type AddableContent, contentFinder } from '../../../api/addable-content.ts';
import { ContentDialog } from '../../../components/content-dialog/content-dialog.tsx';
import { useManyAccounts } from '../../../components/use-many-accounts.ts';
import { accounts as accountTexts } from '../../../texts/accounts.ts';
import { manyAccounts } from '../../../texts/many-accounts.ts';

const texts = accountTexts.contents.add;

/** Adds content to an account, or to many. */
export function AddContentsDialog({
  accounts,
  opened,
  onDone,
  onClose,
}: {
  accounts: readonly { id: number; name: string }[];
  opened: boolean;
  onDone?: () => void;
  onClose: () => void;
}) {
  const [only] = accounts;
  const single = accounts.length === 1 && only !== undefined ? only : null;
  // On the page of an account, the dialog is opened by the address, which changes only after a question about leaving.
  const [isDone, setDone] = useState(false);
  if (isDone && !opened) setDone(false);
  const { change, progress, stop } = useManyAccounts('add', () => {
    setDone(true);
    onDone?.();
    onClose();
  });
  const stopAndForget = () => {
    stop();
    change.reset();
  };
  // Back closes it, too, and the result must not close what is opened after that.
  const onLeft = useEffectEvent(stopAndForget);
  useEffect(() => {
    if (!opened) onLeft();
  }, [opened]);
  return (
    <ContentDialog<AddableContent>
      opened={opened && !isDone}
      title={single === null ? manyAccounts.add.contentTitle(accounts.length) : texts.title(single.name)}
      types={CONTENT_TYPES}
      useFound={contentFinder(single?.id ?? null)}
      max={MAX_ADDED_AT_ONCE}
      note={(chosen) =>
        `${chosen.some(({ type }) => type === 'FOLDER') ? `${texts.folder} ` : ''}${texts.event}`
      }
      progress={progress}
      error={change.error}
      saving={change.isPending}
      asksBeforeLeaving
      onAdd={(contents) => change.mutate({ accountIds: accounts.map(({ id }) => id), contents })}
      onClose={() => {
        stopAndForget();
        onClose();
      }}
    />
  );
}
