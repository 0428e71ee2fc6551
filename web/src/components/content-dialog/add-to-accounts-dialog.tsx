import { useQuery } from '@tanstack/react-query';
import type { ContentReference } from '../../../../src/events/event.ts';
import { type AddableAccount, addableAccountsQuery, MAX_ACCOUNTS_AT_ONCE } from '../../api/many-accounts.ts';
import { accounts } from '../../texts/accounts.ts';
import { manyAccounts as texts } from '../../texts/many-accounts.ts';
import { useManyAccounts } from '../use-many-accounts.ts';
import type { ChoiceFilter } from './choice.ts';
import { ContentDialog } from './content-dialog.tsx';

/** Adds content to accounts that are chosen by name. */
export function AddToAccountsDialog({
  contents,
  opened,
  onDone,
  onClose,
}: {
  contents: readonly (ContentReference & { name: string })[];
  opened: boolean;
  onDone?: () => void;
  onClose: () => void;
}) {
  const [only] = contents;
  const single = contents.length === 1 && only !== undefined ? only : null;
  const { change, progress, stop } = useManyAccounts('add', () => {
    onDone?.();
    onClose();
  });
  const hasFolder = contents.some(({ type }) => type === 'FOLDER');
  return (
    <ContentDialog<AddableAccount>
      opened={opened}
      title={texts.add.title(single?.name ?? null, contents.length)}
      types={['ACCOUNT']}
      useFound={accountFinder(single)}
      max={MAX_ACCOUNTS_AT_ONCE}
      words={{
        search: texts.searchAccounts,
        results: texts.accounts,
        noContent: texts.noAccounts,
        noneChosen: texts.noneChosen,
        submit: texts.submit,
      }}
      note={() => `${hasFolder ? `${accounts.contents.add.folder} ` : ''}${texts.add.event}`}
      progress={progress}
      error={change.error}
      saving={change.isPending}
      asksBeforeLeaving
      onAdd={(chosen) => change.mutate({ accountIds: chosen.map(({ id }) => id), contents })}
      onClose={() => {
        stop();
        change.reset();
        onClose();
      }}
    />
  );
}

function accountFinder(content: ContentReference | null) {
  return function useFoundAccounts({ search, limit, offset }: ChoiceFilter<AddableAccount>) {
    const reference = content === null ? null : { type: content.type, id: content.id };
    return useQuery(addableAccountsQuery({ content: reference, search, limit, offset }));
  };
}
