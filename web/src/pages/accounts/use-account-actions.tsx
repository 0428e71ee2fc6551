import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { accountsKey, setAccountEnabled } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { type Question, useQuestion } from '../../components/use-question.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { accounts } from '../../texts/accounts.ts';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { RenameAccountDialog } from './rename-account-dialog.tsx';

/** The data of an account that its actions need. */
export interface AccountToChange {
  id: number;
  name: string;
  enabled: boolean;
}

/** An action on an account. Each one asks first. */
type AccountAction = 'rename' | 'activate' | 'deactivate' | 'delete';

/** Opens the dialog of an action on an account. */
export type ActOnAccount = (action: AccountAction, on: AccountToChange) => void;

/**
 * The actions on accounts, and their dialogs. They belong to the page, not to the rows: a row may disappear (another
 * page, another order, a rotated phone) while somebody types into its dialog.
 * @param leaveWhenDeleted whether the page is the account's own
 */
export function useAccountActions(leaveWhenDeleted = false): {
  act: ActOnAccount;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const { asked, isOpen, ask, close } = useQuestion<AccountAction, AccountToChange>(({ id }) => id);
  const isSwitching = isOpen('activate') || isOpen('deactivate');
  const activation = useFormMutation(
    {
      mutationFn: ({ action, of }: Question<AccountAction, AccountToChange>) =>
        setAccountEnabled(of.id, action === 'activate'),
      onSuccess: async ({ name, enabled }, { action, of }) => {
        close(action, of);
        notifyDone((enabled ? accounts.activate : accounts.deactivate).done(name));
        await queryClient.invalidateQueries({ queryKey: accountsKey });
      },
    },
    isSwitching,
  );
  const words = asked?.action === 'activate' ? accounts.activate : accounts.deactivate;
  return {
    act: (action, of) => {
      activation.reset();
      ask(action, of);
    },
    dialogs: asked !== null && (
      <>
        <RenameAccountDialog
          key={`rename ${asked.of.id}`}
          account={asked.of}
          opened={isOpen('rename')}
          onClose={() => close('rename', asked.of)}
        />
        <ConfirmDialog
          opened={isSwitching}
          title={words.title(asked.of.name)}
          confirmLabel={words.confirm}
          harmless
          pending={activation.isPending}
          error={activation.error}
          onConfirm={() => activation.mutate(asked)}
          onClose={() => close(asked.action, asked.of)}
        >
          {words.description} {accounts.activationEvent}
        </ConfirmDialog>
        <DeleteAccountDialog
          key={`delete ${asked.of.id}`}
          account={asked.of}
          opened={isOpen('delete')}
          onClose={() => close('delete', asked.of)}
          onDeleted={async () => {
            close('delete', asked.of);
            if (leaveWhenDeleted) await leave({ to: '/accounts' });
          }}
        />
      </>
    ),
  };
}
