import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import { changeAsset, folderOf, readAsset } from '../../../api/content-assets.ts';
import { concernsAll } from '../../../api/errors.ts';
import { contentKey } from '../../../api/folders.ts';
import { notifyDone, notifyError, notifyFailed } from '../../../components/notify.tsx';
import { FailureList } from '../../../components/selection/failure-list.tsx';
import { folders } from '../../../texts/content.ts';
import type { Dragged, Dragging } from '../content-context.ts';

const words = folders.move;
const UNDO_SHOWN_MS = 10_000;

/** The result of moving several assets. */
export interface MoveOutcome {
  /** With the folders that they were in. Those that were already in the right folder are omitted. */
  moved: Dragged[];
  failed: { asset: Dragged; error: unknown }[];
  /** Those that were not tried, because the run was stopped or ended with an error. */
  left: Dragged[];
  /** The error that ended the run, because all others would fail, too; otherwise null. */
  error: unknown;
}

/** Moves assets, one after another, each into its folder. A failure of one asset does not stop the others. */
export async function moveAssets(
  moves: readonly { asset: Dragged; folderId: number }[],
  { onProgress, signal }: { onProgress?: (done: number) => void; signal?: AbortSignal } = {},
): Promise<MoveOutcome> {
  const outcome: MoveOutcome = { moved: [], failed: [], left: [], error: null };
  for (const [done, { asset, folderId }] of moves.entries()) {
    if (signal?.aborted === true || outcome.error !== null) {
      outcome.left.push(asset);
      continue;
    }
    onProgress?.(done);
    try {
      const read = await readAsset(asset);
      // Someone else may have moved it since it was listed.
      const from = folderOf(read.record) ?? asset.folderId;
      if (from === folderId) continue;
      await changeAsset(asset, read, { folderId });
      outcome.moved.push({ ...asset, folderId: from });
    } catch (error) {
      if (concernsAll(error)) {
        outcome.error = error;
        outcome.left.push(asset);
      } else outcome.failed.push({ asset, error });
    }
  }
  return outcome;
}

/** Those of the assets that are in the right folder now. */
export function arrivedOf(assets: readonly Dragged[], { failed, left }: MoveOutcome): Dragged[] {
  const others = new Set([...failed.map(({ asset }) => asset), ...left].map(assetKey));
  return assets.filter((asset) => !others.has(assetKey(asset)));
}

/** Moves dropped assets, shows the result, and offers to move them back. */
export function useMoveDropped(): (dragged: Dragging, folder: { id: number; name: string }) => void {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: contentKey });
  const moveBack = async (assets: readonly Dragged[]) => {
    const outcome = await moveAssets(assets.map((asset) => ({ asset, folderId: asset.folderId })));
    void refresh();
    if (outcome.failed.length === 0 && outcome.left.length === 0) notifyDone(words.undone);
    notifyMissing(outcome);
  };
  return async ({ assets, onMoved }, folder) => {
    const outcome = await moveAssets(assets.map((asset) => ({ asset, folderId: folder.id })));
    const { moved } = outcome;
    onMoved?.(arrivedOf(assets, outcome), folder.id);
    void refresh();
    const [first] = moved;
    if (first !== undefined) {
      const id = notifications.show({
        color: 'teal',
        autoClose: UNDO_SHOWN_MS,
        title:
          moved.length === 1
            ? words.done(first.name, folder.name)
            : words.doneMany(first.type, moved.length, folder.name),
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
    notifyMissing(outcome);
  };
}

/** Shows which assets were not moved, in one notice, and what ended the run. */
function notifyMissing({ failed, left, error }: MoveOutcome): void {
  if (error !== null) notifyError(error);
  const failures = [
    ...failed.map(({ asset, error: cause }) => ({ name: asset.name, error: cause })),
    ...left.map(({ name }) => ({ name, error })),
  ];
  const [first] = failures;
  if (first === undefined) return;
  notifyFailed(words.failed(failures.length, first.name), <FailureList failures={failures} />);
}
