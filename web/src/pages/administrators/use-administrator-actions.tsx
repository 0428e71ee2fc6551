import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type Administrator,
  administratorsQuery,
  deleteAdministrator,
  makeLink,
  type OneTimeLink,
} from '../../api/administrators.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { SecretInProgress, useSecretRequests } from '../../components/secret-in-progress.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useQuestion } from '../../components/use-question.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { shared } from '../../texts/shared.ts';
import type { AdministratorAction } from './administrator-menu.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';

/**
 * The actions for administrators, and their dialogs. They belong to the page, not to the rows: a row disappears when a
 * phone is turned, and its one-time link would be lost.
 */
export function useAdministratorActions(): {
  act: (action: AdministratorAction, administrator: Administrator) => void;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const { asked, isOpen, ask, close } = useQuestion<AdministratorAction, Administrator>(({ id }) => id);
  const administrator = asked?.of ?? null;
  /** The new link, even if its dialog was closed before it arrived. */
  const [made, setMade] = useState<{ link: OneTimeLink; of: Administrator } | null>(null);
  const making = useSecretRequests();
  const link = useFormMutation(
    {
      mutationFn: ({ id }: Administrator) => making.follow(makeLink(id)),
      onSuccess: (created, of) => {
        close('link', of);
        setMade({ link: created, of });
      },
    },
    isOpen('link'),
  );
  const remove = useFormMutation(
    {
      mutationFn: ({ id }: Administrator) => deleteAdministrator(id),
      onSuccess: async (_nothing, of) => {
        close('delete', of);
        notifyDone(texts.deleted(nameOf(of)));
        await queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey });
      },
    },
    isOpen('delete'),
  );
  return {
    act: (action, on) => {
      link.reset();
      remove.reset();
      ask(action, on);
    },
    dialogs: (
      <>
        {administrator !== null && (
          <>
            <EditDialog
              key={administrator.id}
              administrator={administrator}
              opened={isOpen('edit')}
              onClose={() => close('edit', administrator)}
            />
            <ConfirmDialog
              opened={isOpen('link')}
              title={texts.passwordDialog.title(administrator.invited)}
              confirmLabel={texts.passwordDialog.confirm}
              harmless
              pending={link.isPending}
              error={link.error}
              onConfirm={() => link.mutate(administrator)}
              onClose={() => close('link', administrator)}
            >
              {administrator.invited
                ? texts.passwordDialog.invited(nameOf(administrator))
                : texts.passwordDialog.description(nameOf(administrator))}
            </ConfirmDialog>
            <ConfirmDialog
              opened={isOpen('delete')}
              title={texts.deleteDialog.title(nameOf(administrator))}
              confirmLabel={shared.delete}
              pending={remove.isPending}
              error={remove.error}
              onConfirm={() => remove.mutate(administrator)}
              onClose={() => close('delete', administrator)}
            >
              {administrator.invited ? texts.deleteDialog.invited : texts.deleteDialog.description}
            </ConfirmDialog>
          </>
        )}
        <SecretInProgress when={making.isAny && made === null} />
        <LinkDialog
          link={made?.link ?? null}
          title={made?.of.invited === true ? texts.link.invitation : texts.link.password}
          email={made?.of.email ?? ''}
          onClose={() => setMade(null)}
        />
      </>
    ),
  };
}

function nameOf({ name, email }: Administrator): string {
  return name ?? email;
}
