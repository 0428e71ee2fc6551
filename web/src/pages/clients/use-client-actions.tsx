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
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<ClientAction | 'create' | null>(null);
  /** Kept while its dialog fades out. */
  const [client, setClient] = useState<ApiClient | null>(null);
  const [secret, setSecret] = useState<{ of: ClientWithSecret; isNew: boolean } | null>(null);
  const name = client?.name ?? '';
  const id = client?.client_id ?? '';
  const onSettled = () => queryClient.invalidateQueries({ queryKey: clientsKey });

  const toggle = useMutation({
    mutationFn: ({ of, enabled }: { of: ApiClient; enabled: boolean }) =>
      setClientEnabled(of.client_id, enabled),
    onSuccess: (saved) => {
      setOpen(null);
      notifyDone(saved.enabled ? texts.enable.done(saved.name) : texts.disable.done(saved.name));
    },
    onError: (error, { enabled }) => {
      if (enabled) notifyError(error);
    },
    onSettled,
  });
  const renew = useMutation({
    mutationFn: () => renewClientSecret(id),
    onSuccess: (of) => {
      setOpen(null);
      setSecret({ of, isNew: false });
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => deleteClient(id),
    onSuccess: () => {
      setOpen(null);
      notifyDone(texts.remove.done(name));
    },
    onSettled,
  });

  const close = () => setOpen(null);
  const forgetFailures = () => {
    for (const mutation of [toggle, renew, remove]) mutation.reset();
  };
  return {
    create: () => {
      forgetFailures();
      setOpen('create');
    },
    act: (action, on) => {
      forgetFailures();
      setClient(on);
      if (action === 'enable') toggle.mutate({ of: on, enabled: true });
      else setOpen(action);
    },
    dialogs: (
      <>
        <CreateClientDialog
          opened={open === 'create'}
          onCreated={(of) => {
            close();
            setSecret({ of, isNew: true });
          }}
          onClose={close}
        />
        {client !== null && <EditClientDialog client={client} opened={open === 'edit'} onClose={close} />}
        <ConfirmDialog
          opened={open === 'renew'}
          title={texts.renew.title(name)}
          confirmLabel={texts.renew.confirm}
          pending={renew.isPending}
          error={renew.error}
          onConfirm={() => renew.mutate()}
          onClose={close}
        >
          {texts.renew.description}
        </ConfirmDialog>
        <ConfirmDialog
          opened={open === 'disable'}
          title={texts.disable.title(name)}
          confirmLabel={texts.disable.confirm}
          pending={toggle.isPending}
          error={toggle.error}
          onConfirm={() => client !== null && toggle.mutate({ of: client, enabled: false })}
          onClose={close}
        >
          {texts.disable.description}
        </ConfirmDialog>
        <ConfirmDialog
          opened={open === 'remove'}
          title={texts.remove.title(name)}
          confirmLabel={texts.remove.confirm}
          {...(client?.last_used_dt ? { typedName: name } : {})}
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          {texts.remove.description}
        </ConfirmDialog>
        <SecretDialog
          client={secret?.of ?? null}
          title={secret?.isNew === false ? texts.secret.renewed(secret.of.name) : texts.secret.created}
          onClose={() => setSecret(null)}
        />
      </>
    ),
  };
}
