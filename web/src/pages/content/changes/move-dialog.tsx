import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { contentKey, HOME_ID } from '../../../api/folders.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { Callout } from '../../../components/callout.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone, notifyLeft } from '../../../components/notify.tsx';
import { KeepDialogOpen, RunDialog } from '../../../components/run-dialog.tsx';
import { FailureList, namesOf } from '../../../components/selection/failure-list.tsx';
import { Unread } from '../../../components/unread.tsx';
import { folders } from '../../../texts/content.ts';
import { shared } from '../../../texts/shared.ts';
import { useIsShown } from '../../../utilities/use-is-shown.ts';
import type { Dragged } from '../content-context.ts';
import { FolderChoice } from '../folders/folder-choice.tsx';
import type { FolderIndex, FolderNode } from '../folders/folder-index.ts';
import { useFolderIndex } from '../folders/use-folder-index.ts';
import styles from './changes.module.css';
import { arrivedOf, type MoveOutcome, moveAssets } from './use-move.tsx';

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
    assets.length === 1 && first !== undefined
      ? words.title(first.name)
      : words.titleMany(first?.type ?? 'COURSE', assets.length);
  return (
    <RunDialog opened={opened} onClose={onClose} title={title}>
      <MoveForm title={title} assets={assets} onMoved={onMoved} onPartly={onPartly} onClose={onClose} />
    </RunDialog>
  );
}

function MoveForm({
  title,
  assets,
  onMoved,
  onPartly,
  onClose,
}: {
  title: string;
  assets: readonly Dragged[];
  onMoved: (() => void) | undefined;
  onPartly: ((moved: readonly Dragged[], folderId: number) => void) | undefined;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const tree = useFolderIndex();
  const { index } = tree;
  const [chosen, setChosen] = useState<FolderNode | null>(null);
  const [done, setDone] = useState(0);
  /** The failures, and the folder that was chosen. */
  const [outcome, setOutcome] = useState<(MoveOutcome & { folder: FolderNode }) | null>(null);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);
  const move = useMutation({
    mutationFn: (folder: FolderNode) => {
      const stop = new AbortController();
      stopper.current = stop;
      setOutcome(null);
      return moveAssets(
        assets.map((asset) => ({ asset, folderId: folder.id })),
        { onProgress: setDone, signal: stop.signal },
      );
    },
    onSuccess: (result, folder) => {
      // Nothing runs anymore, so the dialog does not wait for the lists.
      void queryClient.invalidateQueries({ queryKey: contentKey });
      const { failed, left } = result;
      const arrived = arrivedOf(assets, result);
      if (failed.length > 0 || left.length > 0) {
        if (isShown()) setOutcome({ ...result, folder });
        else {
          const names =
            failed.length === 0 ? '' : ` ${words.failures} ${namesOf(failed.map(({ asset }) => asset))}`;
          notifyLeft(title, words.partly(arrived.length, assets.length, folder.name) + names, result.error);
        }
        onPartly?.(arrived, folder.id);
        return;
      }
      const [only] = assets;
      notifyDone(
        assets.length === 1 && only !== undefined
          ? words.done(only.name, folder.name)
          : words.doneMany(only?.type ?? 'COURSE', assets.length, folder.name),
      );
      if (!isShown()) return;
      onMoved?.();
      onClose();
    },
  });
  if (index === null) return <Unread query={tree} />;
  const refusal = chosen === null ? null : reasonNotToMove(index, assets, chosen);
  return (
    <Stack gap="md">
      <KeepDialogOpen when={move.isPending} />
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
      {outcome !== null && <Outcome outcome={outcome} assets={assets} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={move.isPending ? () => stopper.current?.abort() : onClose}>
          {move.isPending ? shared.stop : shared.cancel}
        </Button>
        <BusyButton
          isBusy={move.isPending}
          disabled={chosen === null || refusal !== null}
          onClick={() => {
            if (chosen !== null) move.mutate(chosen);
          }}
        >
          {words.submit}
        </BusyButton>
      </Group>
    </Stack>
  );
}

/** How far a run got that was stopped or had failures, and why. */
function Outcome({
  outcome: { failed, left, error, folder },
  assets,
}: {
  outcome: MoveOutcome & { folder: FolderNode };
  assets: readonly Dragged[];
}) {
  const arrived = assets.length - failed.length - left.length;
  const isOne = assets.length === 1;
  return (
    <>
      {(!isOne || failed.length > 0) && (
        <Callout tone={failed.length > 0 ? 'bad' : 'warn'} live>
          {!isOne && <div>{words.partly(arrived, assets.length, folder.name)}</div>}
          {!isOne && failed.length > 0 && <div>{words.failures}</div>}
          {failed.length > 0 && (
            <FailureList failures={failed.map((each) => ({ name: each.asset.name, error: each.error }))} />
          )}
        </Callout>
      )}
      <FormProblem error={error} />
    </>
  );
}

function isItself(index: FolderIndex, assets: readonly Dragged[], node: FolderNode): boolean {
  return assets.some(({ type, id }) => {
    const folder = type === 'FOLDER' ? index.get(id) : undefined;
    return folder !== undefined && index.isWithin(node, folder);
  });
}

function reasonNotToMove(index: FolderIndex, assets: readonly Dragged[], node: FolderNode): string | null {
  if (isItself(index, assets, node)) return words.itself;
  return assets.every(({ folderId }) => folderId === node.id) ? words.already : null;
}
