import { Stack, TextInput } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import {
  type AssetRecord,
  type AssetReference,
  changeAsset,
  readAsset,
} from '../../../api/content-assets.ts';
import { ApiError, isOutdated } from '../../../api/errors.ts';
import { contentKey, createFolder } from '../../../api/folders.ts';
import { FOR_EDIT } from '../../../api/queries.ts';
import type { Read } from '../../../api/request.ts';
import { Callout } from '../../../components/callout.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { FormButtons } from '../../../components/form-buttons.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { nameFault } from '../../../components/name-fault.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../../components/use-idempotency-key.ts';
import { folders } from '../../../texts/content.ts';
import { useIsShown, useWhileShown } from '../../../utilities/use-is-shown.ts';

/** Creates a folder in another one. */
export function CreateFolderDialog({
  opened,
  parent,
  onCreated,
  onClose,
}: {
  opened: boolean;
  parent: { id: number; name: string };
  /** Called with the new folder, unless the dialog was closed before. */
  onCreated: (id: number) => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      title={folders.create.title(parent.name)}
      size="sm"
    >
      <CreateForm opened={opened} parent={parent} onCreated={onCreated} onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({
  opened,
  parent,
  onCreated,
  onClose,
}: {
  opened: boolean;
  parent: { id: number };
  onCreated: (id: number) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  const isShown = useIsShown(opened);
  const create = useFormMutation({
    mutationFn: (name: string) => {
      const folder = { name, parent_id: parent.id };
      return createFolder(folder, keyFor(folder));
    },
    onSuccess: async (folder) => {
      await queryClient.invalidateQueries({ queryKey: contentKey });
      notifyDone(folders.create.done(folder.name));
      if (!isShown()) return;
      onClose();
      onCreated(folder.id);
    },
  });
  return (
    <NameForm
      initial=""
      submit={folders.create.submit}
      pending={create.isPending}
      error={create.error}
      onSubmit={(name) => create.mutate(name)}
      onClose={onClose}
    />
  );
}

/** Renames a folder or a course. If someone else did so in the meantime, it says so first. */
export function RenameDialog({
  opened,
  asset,
  onClose,
}: {
  opened: boolean;
  asset: AssetReference & { name: string };
  onClose: () => void;
}) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      title={folders.rename.title(asset.name)}
      size="sm"
    >
      <RenameForm asset={asset} onClose={onClose} />
    </Dialog>
  );
}

function RenameForm({ asset, onClose }: { asset: AssetReference & { name: string }; onClose: () => void }) {
  const queryClient = useQueryClient();
  const query = queryOptions({
    queryKey: ['rename', asset.type, asset.id],
    queryFn: ({ signal }): Promise<Read<AssetRecord>> => readAsset(asset, signal),
    ...FOR_EDIT,
  });
  const latest = useQuery(query);
  /** As its list shows it, which may be older than the record. */
  const [listed] = useState(asset.name);
  const close = useWhileShown(onClose);
  const rename = useFormMutation({
    mutationFn: async (name: string) => {
      const read = await queryClient.fetchQuery(query);
      // Someone may press Enter before the record has been read. If it has another name, the form shows that first.
      if (latest.data === undefined && read.record.name !== listed) return null;
      return await changeAsset(asset, read, { name });
    },
    onSuccess: async (renamed) => {
      if (renamed === null) return;
      const { name } = renamed;
      await queryClient.invalidateQueries({ queryKey: contentKey });
      notifyDone(folders.rename.done(name));
      close();
    },
    onError: (error) => {
      if (isOutdated(error)) void latest.refetch();
    },
  });
  const conflict = isOutdated(rename.error);
  const current = latest.data?.record;
  return (
    <NameForm
      initial={current?.name ?? listed}
      submit={folders.rename.submit}
      pending={rename.isPending}
      error={conflict ? null : (rename.error ?? latest.error)}
      notice={
        current !== undefined &&
        (conflict || current.name !== listed) && (
          <Callout tone="warn" title={folders.conflict.title} live>
            {folders.conflict.now(current.name, current.location)} {folders.conflict.replaced}
          </Callout>
        )
      }
      onSubmit={(name) => rename.mutate(name)}
      onClose={onClose}
    />
  );
}

/** @param initial a name that replaces the one in the field if it changes while nobody has typed another */
function NameForm({
  initial,
  submit,
  pending,
  error,
  notice,
  onSubmit,
  onClose,
}: {
  initial: string;
  submit: string;
  pending: boolean;
  error: unknown;
  notice?: ReactNode;
  onSubmit: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(initial);
  const [start, setStart] = useState(initial);
  if (start !== initial) {
    setStart(initial);
    if (name === start) setName(initial);
  }
  const [wrong, setWrong] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const rejected =
    error instanceof ApiError ? error.errors.find(({ pointer }) => pointer === '/name') : undefined;
  const onSubmitForm = (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    const problem = nameFault(name, folders.nameFaults);
    setWrong(problem);
    if (problem === null) onSubmit(name.trim());
    else field.current?.focus();
  };
  return (
    <form noValidate onSubmit={onSubmitForm}>
      <Stack gap="md">
        {notice}
        <FormProblem error={error} fields={['name']} />
        <TextInput
          ref={field}
          label={folders.name}
          value={name}
          autoComplete="off"
          data-autofocus
          onFocus={(event) => {
            if (event.currentTarget.value === initial) event.currentTarget.select();
          }}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setWrong(null);
          }}
          error={wrong ?? (rejected === undefined ? undefined : `${folders.name} ${rejected.detail}`)}
        />
        <FormButtons submit={submit} pending={pending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
