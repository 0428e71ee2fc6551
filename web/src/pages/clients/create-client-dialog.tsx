import { useQueryClient } from '@tanstack/react-query';
import { type ClientInput, type ClientWithSecret, clientsKey, createClient } from '../../api/clients.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { FollowSecret } from '../../components/secret-in-progress.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../components/use-idempotency-key.ts';
import { clients } from '../../texts/clients.ts';
import { useWhileShown } from '../../utilities/use-is-shown.ts';
import { ClientForm } from './client-form.tsx';

const NEW: ClientInput = { name: '', email: '', scopes: [] };
const texts = clients.create;

/** Creates a client. */
export function CreateClientDialog({
  opened,
  follow,
  onCreated,
  onClose,
}: {
  opened: boolean;
  follow: FollowSecret;
  /** Called with the client and its secret, even if the dialog was closed in the meantime. */
  onCreated: (client: ClientWithSecret) => void;
  onClose: () => void;
}) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={texts.title}>
      {(onChanged) => (
        <CreateForm follow={follow} onCreated={onCreated} onChanged={onChanged} onClose={onClose} />
      )}
    </FormDialog>
  );
}

function CreateForm({
  follow,
  onCreated,
  onChanged,
  onClose,
}: {
  follow: FollowSecret;
  onCreated: (client: ClientWithSecret) => void;
  onChanged: (changed: boolean) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  const close = useWhileShown(onClose);
  const create = useFormMutation({
    mutationFn: (input: ClientInput) => follow(createClient(input, keyFor(input))),
    onSuccess: (client) => {
      close();
      onCreated(client);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: clientsKey }),
  });
  return (
    <ClientForm
      initial={NEW}
      submitLabel={texts.submit}
      error={create.error}
      pending={create.isPending}
      onSubmit={create.mutateAsync}
      onChanged={onChanged}
      onClose={onClose}
    />
  );
}
