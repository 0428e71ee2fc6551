import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { changeAsset, readAsset } from '../../../api/content-assets.ts';
import { contentKey } from '../../../api/folders.ts';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { folders } from '../../../texts/content.ts';
import type { Dragged } from '../content-context.ts';

const words = folders.move;
const UNDO_SHOWN_MS = 10_000;

/** The result of moving several assets. */
export interface MoveOutcome {
  moved: Dragged[];
  failed: { asset: Dragged; error: unknown }[];
}

/** Moves assets into a folder, one after another. A failure does not stop the others. */
export async function moveAssets(
  assets: readonly Dragged[],
  folderId: number,
  onProgress: (done: number) => void = () => {},
): Promise<MoveOutcome> {
  const outcome: MoveOutcome = { moved: [], failed: [] };
  for (const [done, asset] of assets.entries()) {
    onProgress(done);
    try {
      if (asset.folderId !== folderId) await changeAsset(asset, await readAsset(asset), { folderId });
      outcome.moved.push(asset);
    } catch (error) {
      outcome.failed.push({ asset, error });
    }
  }
  return outcome;
}

/** Moves dropped assets, shows the result, and offers to move them back. */
export function useMoveDropped(): (assets: readonly Dragged[], folder: { id: number; name: string }) => void {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: contentKey });
  const moveBack = async (assets: readonly Dragged[]) => {
    const outcomes = await Promise.all(
      assets.map((asset) => moveAssets([{ ...asset, folderId: 0 }], asset.folderId)),
    );
    await refresh();
    const failure = outcomes.flatMap(({ failed }) => failed)[0];
    if (failure === undefined) notifyDone(words.undone);
    else notifyError(failure.error);
  };
  return async (assets, folder) => {
    const elsewhere = assets.filter(({ folderId }) => folderId !== folder.id);
    if (elsewhere.length === 0) return;
    const { moved, failed } = await moveAssets(elsewhere, folder.id);
    await refresh();
    const [first] = moved;
    if (first !== undefined) {
      const id = notifications.show({
        color: 'teal',
        autoClose: UNDO_SHOWN_MS,
        title:
          moved.length === 1
            ? words.done(first.name, folder.name)
            : words.doneMany(moved.length, folder.name),
        message: (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              notifications.hide(id);
              void moveBack(moved);
            }}
          >
            {words.undo}
          </Button>
        ),
      });
    }
    for (const { error } of failed) notifyError(error);
  };
}
