import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type ApiClient,
  type ClientWithSecret,
  clientsKey,
  deleteClient,
  renewClientSecret,
  setClientEnabled,
} from '../../api/clients.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import {
  type FollowSecret,
  SecretInProgress,
  useSecretRequests,
} from '../../components/secret-in-progress.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useQuestion } from '../../components/use-question.ts';
import { clients as texts } from '../../texts/clients.ts';
import type { ClientAction } from './client-menu.tsx';
import { CreateClientDialog } from './create-client-dialog.tsx';
import { EditClientDialog } from './edit-client-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/**
 * The actions for clients, and their dialogs. They belong to the page, not to the rows: a row may disappear
 * (another page, another order, a rotated phone) while its client's new secret is shown.
 */
export function useClientActions(): {
  create: () => void;
  act: (action: ClientAction, client: ApiClient) => void;
  dialogs: ReactNode;
} {
  const question = useQuestion<ClientAction, ApiClient>(({ client_id: id }) => id);
  const { asked, isOpen, ask, close } = question;
  const client = asked?.of ?? null;
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<{ of: ClientWithSecret; isNew: boolean } | null>(null);
  const making = useSecretRequests();
  const { enable, disable, renew, remove } = useClientChanges(question, {
    follow: making.follow,
    onRenewed: (of) => setSecret({ of, isNew: false }),
  });
  /** What the dialogs that ask for confirmation share. */
  const asking = (
    action: ClientAction,
    {
      isPending,
      error,
      mutate,
    }: Pick<typeof renew, 'isPending' | 'error'> & { mutate: (of: ApiClient) => void },
    of: ApiClient,
  ) => ({
    opened: isOpen(action),
    pending: isPending,
    error,
    onConfirm: () => mutate(of),
    onClose: () => close(action, of),
  });
  const forgetFailures = () => {
    for (const mutation of [disable, renew, remove]) mutation.reset();
  };
  return {
    create: () => {
      forgetFailures();
      setIsCreating(true);
    },
    act: (action, on) => {
      forgetFailures();
      if (action === 'enable') enable.mutate(on);
      else ask(action, on);
    },
    dialogs: (
      <>
        <Modal.Stack>
          <CreateClientDialog
            opened={isCreating}
            follow={making.follow}
            onCreated={(of) => setSecret({ of, isNew: true })}
            onClose={() => setIsCreating(false)}
          />
          <SecretInProgress when={making.isAny && secret === null} />
        </Modal.Stack>
        {client !== null && (
          <>
            <EditClientDialog
              key={client.client_id}
              client={client}
              opened={isOpen('edit')}
              onClose={() => close('edit', client)}
            />
            <ConfirmDialog
              {...asking('renew', renew, client)}
              title={texts.renew.title(client.name)}
              confirmLabel={texts.renew.confirm}
            >
              {texts.renew.description}
            </ConfirmDialog>
            <ConfirmDialog
              {...asking('disable', disable, client)}
              title={texts.disable.title(client.name)}
              confirmLabel={texts.disable.confirm}
            >
              {texts.disable.description}
            </ConfirmDialog>
            <ConfirmDialog
              {...asking('remove', remove, client)}
              title={texts.remove.title(client.name)}
              confirmLabel={texts.remove.confirm}
              {...(client.last_used_dt ? { typedName: client.name } : {})}
            >
              {texts.remove.description}
            </ConfirmDialog>
          </>
        )}
        <SecretDialog
          client={secret?.of ?? null}
          title={secret?.isNew === false ? texts.secret.renewed(secret.of.name) : texts.secret.created}
          onClose={() => setSecret(null)}
        />
      </>
    ),
  };
}

/** The changes that follow the questions, and enabling, which needs no question. */
function useClientChanges(
  { isOpen, close }: Pick<ReturnType<typeof useQuestion<ClientAction, ApiClient>>, 'isOpen' | 'close'>,
  {
    follow,
    onRenewed,
  }: {
    follow: FollowSecret;
    onRenewed: (client: ClientWithSecret) => void;
  },
) {
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: clientsKey });
  const enable = useMutation({
    mutationFn: ({ client_id }: ApiClient) => setClientEnabled(client_id, true),
    onSuccess: (saved) => notifyDone(texts.enable.done(saved.name)),
    onError: notifyError,
    onSettled,
  });
  const disable = useFormMutation(
    {
      mutationFn: ({ client_id }: ApiClient) => setClientEnabled(client_id, false),
      onSuccess: (saved, of) => {
        close('disable', of);
        notifyDone(texts.disable.done(saved.name));
      },
      onSettled,
    },
    isOpen('disable'),
  );
  const renew = useFormMutation(
    {
      mutationFn: ({ client_id }: ApiClient) => follow(renewClientSecret(client_id)),
      onSuccess: (renewed, of) => {
        close('renew', of);
        onRenewed(renewed);
      },
      onSettled,
    },
    isOpen('renew'),
  );
  const remove = useFormMutation(
    {
      mutationFn: ({ client_id }: ApiClient) => deleteClient(client_id),
      onSuccess: (_nothing, of) => {
        close('remove', of);
        notifyDone(texts.remove.done(of.name));
      },
      onSettled,
    },
    isOpen('remove'),
  );
  return { enable, disable, renew, remove };
}
