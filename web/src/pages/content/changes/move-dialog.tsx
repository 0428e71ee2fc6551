import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import { contentKey, HOME_ID } from '../../../api/folders.ts';
import { Callout } from '../../../components/callout.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { explainError } from '../../../components/explain-error.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { PageLoading } from '../../../components/page-loading.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { folders } from '../../../texts/content.ts';
import { shared } from '../../../texts/shared.ts';
import { useWhileShown } from '../../../utilities/use-is-shown.ts';
import type { Dragged } from '../content-context.ts';
import { FolderChoice } from '../folders/folder-choice.tsx';
import type { FolderIndex, FolderNode } from '../folders/folder-index.ts';
import { useFolderIndex } from '../folders/use-folder-index.ts';
import styles from './changes.module.css';
import { type MoveOutcome, moveAssets } from './use-move.tsx';

const words = folders.move;

/** Moves assets to a folder that is chosen in the tree. */
export function MoveDialog({
  opened,
  assets,
  onMoved,
  onPartly,
  onClose,
}: {
  opened: boolean;
  assets: readonly Dragged[];
  onMoved?: () => void;
  /** Called with those of several assets that were moved, and the folder that they are in now. */
  onPartly?: (moved: readonly Dragged[], folderId: number) => void;
  onClose: () => void;
}) {
  const [first] = assets;
  const title =
    assets.length === 1 && first !== undefined ? words.title(first.name) : words.titleMany(assets.length);
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="md">
      <MoveForm assets={assets} onMoved={onMoved} onPartly={onPartly} onClose={onClose} />
    </Modal>
  );
}

function MoveForm({
  assets,
  onMoved,
  onPartly,
  onClose,
}: {
  assets: readonly Dragged[];
  onMoved: (() => void) | undefined;
  onPartly: ((moved: readonly Dragged[], folderId: number) => void) | undefined;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { index, error, refetch } = useFolderIndex();
  const [chosen, setChosen] = useState<FolderNode | null>(null);
  const [done, setDone] = useState(0);
  /** What failed, and the folder that was chosen then. */
  const [outcome, setOutcome] = useState<(MoveOutcome & { folder: FolderNode }) | null>(null);
  const close = useWhileShown(onClose);
  const move = useFormMutation({
    mutationFn: (folder: FolderNode) => moveAssets(assets, folder.id, setDone),
    onSuccess: async (result, folder) => {
      await queryClient.invalidateQueries({ queryKey: contentKey });
      if (result.failed.length > 0) {
        setOutcome({ ...result, folder });
        const failures = new Set(result.failed.map(({ asset }) => assetKey(asset)));
        onPartly?.(
          assets.filter((asset) => !failures.has(assetKey(asset))),
          folder.id,
        );
        return;
      }
      const [only] = assets;
      notifyDone(
        assets.length === 1 && only !== undefined
          ? words.done(only.name, folder.name)
          : words.doneMany(assets.length, folder.name),
      );
      onMoved?.();
      close();
    },
  });
  if (index === null)
    return error === null ? <PageLoading /> : <ErrorState error={error} retry={() => void refetch()} />;
  const refusal = chosen === null ? null : whyNot(index, assets, chosen);
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {words.description}
      </Text>
      <FolderChoice
        index={index}
        current={assets[0]?.folderId ?? HOME_ID}
        chosen={chosen}
        onChoose={setChosen}
        isDisabled={(node) => isItself(index, assets, node)}
      />
      <div role="status" className={styles.note}>
        {move.isPending && assets.length > 1 ? words.progress(done + 1, assets.length) : refusal}
      </div>
      {outcome !== null && (
        <Callout tone="bad" live>
          {outcome.failed.length < assets.length && (
            <div>
              {words.partly(assets.length - outcome.failed.length, assets.length, outcome.folder.name)}
            </div>
          )}
          {outcome.failed.map(({ asset, error: cause }) => {
            const { title, detail } = explainError(cause);
            return (
              <div key={assetKey(asset)}>
                <bdi>{asset.name}</bdi>: {detail || title}
              </div>
            );
          })}
        </Callout>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {shared.cancel}
        </Button>
        <Button
          loading={move.isPending}
          disabled={chosen === null || refusal !== null}
          onClick={() => {
            if (chosen !== null) move.mutate(chosen);
          }}
        >
          {words.submit}
        </Button>
      </Group>
    </Stack>
  );
}

function isItself(index: FolderIndex, assets: readonly Dragged[], node: FolderNode): boolean {
  return assets.some(({ type, id }) => {
    const folder = type === 'FOLDER' ? index.get(id) : undefined;
    return folder !== undefined && index.isWithin(node, folder);
  });
}

function whyNot(index: FolderIndex, assets: readonly Dragged[], node: FolderNode): string | null {
  if (isItself(index, assets, node)) return words.itself;
  return assets.every(({ folderId }) => folderId === node.id) ? words.already : null;
}
