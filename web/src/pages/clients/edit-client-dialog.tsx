import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ApiClient,
  type ClientInput,
  changeClient,
  clientForEditQuery,
  clientsKey,
  readClient,
} from '../../api/clients.ts';
import { isOutdated } from '../../api/errors.ts';
import type { Read } from '../../api/request.ts';
import { Callout } from '../../components/callout.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { Unread } from '../../components/unread.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { clients } from '../../texts/clients.ts';
import { useWhileShown } from '../../utilities/use-is-shown.ts';
import { scopesInWords } from './client-cells.tsx';
import { ClientForm } from './client-form.tsx';
import styles from './clients.module.css';

/** About the height of the form, so that the dialog does not grow under the pointer. */
const PLACEHOLDER_HEIGHT = 560;
const texts = clients.edit;

/** Changes a client: name, contact and scopes. */
export function EditClientDialog({
  client: { client_id: id, name },
  opened,
  onClose,
}: {
  client: Pick<ApiClient, 'client_id' | 'name'>;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={texts.title(name)}>
      {(onChanged) => <EditLoader id={id} onChanged={onChanged} onClose={onClose} />}
    </FormDialog>
  );
}

interface Dialog {
  onChanged: (changed: boolean) => void;
  onClose: () => void;
}

function EditLoader({ id, ...dialog }: Dialog & { id: string }) {
  const read = useQuery(clientForEditQuery(id));
  if (read.data !== undefined) return <EditForm read={read.data} {...dialog} />;
  return <Unread query={read} placeholder={<Skeleton height={PLACEHOLDER_HEIGHT} />} />;
}

function EditForm({ read, onChanged, onClose }: Dialog & { read: Read<ApiClient> }) {
  const queryClient = useQueryClient();
  const [basis, setBasis] = useState(read);
  /** The record that the form started with, and how often it was restarted. */
  const [start, setStart] = useState({ record: read.record, count: 0 });
  const close = useWhileShown(onClose);
  const edit = useFormMutation({
    mutationFn: async (input: ClientInput) => {
      try {
        return await changeClient(basis, input);
      } catch (error) {
        // The next attempt is based on the current record, which is shown first.
        if (isOutdated(error)) setBasis(await readClient(read.record.client_id));
        throw error;
      }
    },
    onSuccess: (saved) => {
      close();
      notifyDone(texts.done(saved.name));
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: clientsKey }),
  });
  const startAgain = () => {
    edit.reset();
    setStart(({ count }) => ({ record: basis.record, count: count + 1 }));
  };
  const hasConflict = isOutdated(edit.error);
  const { name, email, scopes } = start.record;
  return (
    <ClientForm
      key={start.count}
      initial={{ name, email, scopes }}
      mayLackScopes={scopes.length === 0}
      notice={hasConflict && <Conflict before={start.record} now={basis.record} onStartAgain={startAgain} />}
      note={texts.note}
      submitLabel={texts.submit}
      error={hasConflict ? null : edit.error}
      pending={edit.isPending}
      onSubmit={edit.mutateAsync}
      onChanged={onChanged}
      onClose={onClose}
    />
  );
}

function Conflict({
  before,
  now,
  onStartAgain,
}: {
  before: ApiClient;
  now: ApiClient;
  onStartAgain: () => void;
}) {
  return (
    <Callout tone="warn" title={texts.conflict.title} live>
      <ul className={styles.changes}>
        {changes(before, now).map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <div>{texts.conflict.description}</div>
      <Button className={styles.startAgain ?? ''} variant="default" size="xs" onClick={onStartAgain}>
        {texts.conflict.startAgain}
      </Button>
    </Callout>
  );
}

/** The differences, in words. */
function changes(before: ApiClient, now: ApiClient): string[] {
  const facts = [
    { label: clients.columns.name, of: ({ name }: ApiClient) => name },
    { label: clients.columns.email, of: ({ email }: ApiClient) => email },
    { label: clients.columns.scopes, of: ({ scopes }: ApiClient) => scopesInWords(scopes) },
    {
      label: clients.columns.state,
      of: ({ enabled }: ApiClient) => (enabled ? clients.states.enabled : clients.states.disabled),
    },
  ];
  return facts
    .filter(({ of }) => of(before) !== of(now))
    .map(({ label, of }) => texts.conflict.fact(label, of(now)));
}
