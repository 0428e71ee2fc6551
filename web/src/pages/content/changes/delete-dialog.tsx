import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type AssetReference, deleteAsset } from '../../../api/content-assets.ts';
import { usageQuery } from '../../../api/content-usage.ts';
import { isConflict } from '../../../api/errors.ts';
import { contentKey } from '../../../api/folders.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { BusyButton } from '../../../components/busy-button.tsx';
import { Callout } from '../../../components/callout.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { explainError } from '../../../components/explain-error.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { folders } from '../../../texts/content.ts';
import { courses } from '../../../texts/courses.ts';
import { shared } from '../../../texts/shared.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useWhileShown } from '../../../utilities/use-is-shown.ts';
import type { FolderNode } from '../folders/folder-index.ts';
import styles from './changes.module.css';
import { isHeld, isUsed, UsageList } from './usage-list.tsx';

const words = courses.remove;
const FOLDERS_NAMED = 8;
const OF_TYPE = {
  FOLDER: folders.remove,
  COURSE: words.course,
  EQUIVALENT: words.equivalent,
  BUNDLE: words.bundle,
} as const;

/** Asks before something is deleted: first whether that is possible, and if not, what to do. */
export function DeleteDialog({
  opened,
  asset,
  folder,
  onDeleted,
  onClose,
}: {
  opened: boolean;
  asset: AssetReference & { name: string };
  /** The folder, if one is deleted. It must be empty. */
  folder?: FolderNode;
  onDeleted: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={words.title(asset.name)} size="md">
      <DeleteForm asset={asset} folder={folder} onDeleted={onDeleted} onClose={onClose} />
    </Dialog>
  );
}

function DeleteForm({
  asset,
  folder,
  onDeleted,
  onClose,
}: {
  asset: AssetReference & { name: string };
  folder: FolderNode | undefined;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const usage = useQuery({ ...usageQuery(asset.type, asset.id), staleTime: 0 });
  const close = useWhileShown(onClose);
  const remove = useFormMutation({
    mutationFn: () => deleteAsset(asset),
    onSuccess: async () => {
      notifyDone(words.done(asset.name));
      close();
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: contentKey });
    },
    onError: (error) => {
      // Someone has added something since the dialog opened. The reasons are shown.
      if (isConflict(error)) void queryClient.invalidateQueries({ queryKey: contentKey });
    },
  });
  const used = usage.data !== undefined && isUsed(usage.data) ? usage.data : null;
  const isFull = folder !== undefined && hasContents(folder);
  const failure = remove.error ?? usage.error;
  const explanation = failure === null ? null : explainError(failure);
  return (
    <Stack gap="md">
      {usage.isPending ? (
        <div aria-busy="true">
          <Skeleton height={14} mb="xs" />
          <Skeleton height={14} width="60%" />
        </div>
      ) : used !== null || isFull ? (
        <div>
          <Callout tone="warn" title={words.notYet(asset.name)} live>
            {isFull || used === null
              ? folders.remove.holds
              : words.inUse(isHeld(used), used.registrations.total > 0)}
          </Callout>
          {isFull && <FolderContents folder={folder} onClose={onClose} />}
          {isFull && used !== null && <Text mt="md">{folders.remove.heldBy}</Text>}
          {used !== null && <UsageList usage={used} asset={asset} />}
        </div>
      ) : (
        <Text>{OF_TYPE[asset.type].description}</Text>
      )}
      {explanation !== null && (
        <Callout tone="bad" title={explanation.title} live>
          {explanation.detail} {explanation.advice}
        </Callout>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {used !== null || isFull ? shared.close : shared.cancel}
        </Button>
        {used === null && !isFull && (
          <BusyButton
            color="red"
            isBusy={remove.isPending}
            disabled={usage.isPending}
            onClick={() => remove.mutate()}
          >
            {OF_TYPE[asset.type].submit}
          </BusyButton>
        )}
      </Group>
    </Stack>
  );
}

function FolderContents({ folder, onClose }: { folder: FolderNode; onClose: () => void }) {
  const { children, id } = folder;
  const text = folders.count(folder.courses, folder.equivalents, folder.bundles);
  const hasContent = folder.courses + folder.equivalents + folder.bundles > 0;
  return (
    <ul className={styles.list}>
      {hasContent && (
        <li>
          <AssetLink type="FOLDER" id={id} onClick={onClose}>
            {text}
          </AssetLink>
        </li>
      )}
      {children.length > 0 && (
        <li>
          {folders.remove.subfolders(children.length)}
          <ul className={styles.list}>
            {children.slice(0, FOLDERS_NAMED).map((child) => (
              <li key={child.id}>
                <AssetLink type="FOLDER" id={child.id} onClick={onClose}>
                  <bdi>{child.name}</bdi>
                </AssetLink>
              </li>
            ))}
            {children.length > FOLDERS_NAMED && (
              <li>{courses.usage.more(formatNumber(children.length - FOLDERS_NAMED))}</li>
            )}
          </ul>
        </li>
      )}
    </ul>
  );
}

function hasContents({ children, courses: count, equivalents, bundles }: FolderNode): boolean {
  return children.length + count + equivalents + bundles > 0;
}
