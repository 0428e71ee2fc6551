import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type ApiClient,
  type ClientInput,
  type ClientWithSecret,
  changeClient,
  clientsQuery,
  createClient,
  deleteClient,
  renewClientSecret,
} from '../../api/clients.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { clients as texts } from '../../texts/clients.ts';
import { ClientForm } from './client-form.tsx';
import type { ClientAction } from './client-menu.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const NEW: ClientInput = { name: '', email: '', scopes: [] };

/**
 * What is done with clients, and the dialogs for it. They belong to the page, not to the rows: a row may leave the
 * list (another page, another order, a turned phone) while its client's new secret is shown.
 */
export function useClientActions(): {
  create: () => void;
  act: (action: ClientAction, client: ApiClient) => void;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<ClientAction | 'create' | null>(null);
  /** Stays when its dialog closes, which takes a moment. */
  const [client, setClient] = useState<ApiClient | null>(null);
  const [secret, setSecret] = useState<{ of: ClientWithSecret; isNew: boolean } | null>(null);
  const name = client?.name ?? '';
  const id = client?.client_id ?? '';
  const onSettled = () => queryClient.invalidateQueries({ queryKey: clientsQuery.queryKey });

  const create = useMutation({
    mutationFn: createClient,
    onSuccess: (of) => {
      setOpen(null);
      setSecret({ of, isNew: true });
    },
    onSettled,
  });
  const edit = useMutation({
    mutationFn: async (input: ClientInput) =>
      changeClient(id, { ...input, enabled: (await presentState(id))?.enabled ?? true }),
    onSuccess: (saved) => {
      setOpen(null);
      notifyDone(texts.edit.done(saved.name));
    },
    onSettled,
  });
  const toggle = useMutation({
    mutationFn: async ({ of, enabled }: { of: ApiClient; enabled: boolean }) => {
      const { name, email, scopes } = (await presentState(of.client_id)) ?? of;
      return changeClient(of.client_id, { name, email, scopes, enabled });
    },
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

  /** The service replaces a client whole: what others changed since the list was read is not undone. */
  async function presentState(of: string): Promise<ApiClient | undefined> {
    const all = await queryClient.fetchQuery({ ...clientsQuery, staleTime: 0 });
    return all.find(({ client_id }) => client_id === of);
  }

  const close = () => setOpen(null);
  const forgetFailures = () => {
    for (const mutation of [create, edit, toggle, renew, remove]) mutation.reset();
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
        <Modal
          opened={open === 'create'}
          onClose={close}
          title={texts.create.title}
          size="lg"
          closeOnClickOutside={false}
        >
          <ClientForm
            initial={NEW}
            submitLabel={texts.create.submit}
            error={create.error}
            pending={create.isPending}
            onSubmit={create.mutateAsync}
            onClose={close}
          />
        </Modal>
        <Modal
          opened={open === 'edit'}
          onClose={close}
          title={texts.edit.title(name)}
          size="lg"
          closeOnClickOutside={false}
        >
          {client !== null && (
            <ClientForm
              initial={{ name: client.name, email: client.email, scopes: client.scopes }}
              note={texts.edit.note}
              submitLabel={texts.edit.submit}
              error={edit.error}
              pending={edit.isPending}
              onSubmit={edit.mutateAsync}
              onClose={close}
            />
          )}
        </Modal>
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
