import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { changeAsset, folderOf, readAsset } from '../../../api/content-assets.ts';
import { contentKey } from '../../../api/folders.ts';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { folders } from '../../../texts/content.ts';
import type { Dragged, Dragging } from '../content-context.ts';

const words = folders.move;
const UNDO_SHOWN_MS = 10_000;

/** The result of moving several assets. */
export interface MoveOutcome {
  /** With the folders that they were in. Those that were already in the right folder are omitted. */
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
      const read = await readAsset(asset);
      // Someone else may have moved it since it was listed.
      const from = folderOf(read.record) ?? asset.folderId;
      if (from === folderId) continue;
      await changeAsset(asset, read, { folderId });
      outcome.moved.push({ ...asset, folderId: from });
    } catch (error) {
      outcome.failed.push({ asset, error });
    }
  }
  return outcome;
}

/** Moves dropped assets, shows the result, and offers to move them back. */
export function useMoveDropped(): (dragged: Dragging, folder: { id: number; name: string }) => void {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: contentKey });
  const moveBack = async (assets: readonly Dragged[]) => {
    const outcomes = await Promise.all(assets.map((asset) => moveAssets([asset], asset.folderId)));
    await refresh();
    const failure = outcomes.flatMap(({ failed }) => failed)[0];
    if (failure === undefined) notifyDone(words.undone);
    else notifyError(failure.error);
  };
  return async ({ assets, onMoved }, folder) => {
    const { moved, failed } = await moveAssets(assets, folder.id);
    const failures = new Set(failed.map(({ asset }) => asset));
    onMoved?.(
      assets.filter((asset) => !failures.has(asset)),
      folder.id,
    );
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
