import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';

const texts = webhooks.toggle;

/** Asks before a webhook is deactivated, because that loses messages. Offers to pause it instead. */
export function DeactivationDialog({
  opened,
  webhook,
  pending,
  isPausing,
  error,
  onDeactivate,
  onPause,
  onClose,
}: {
  opened: boolean;
  /** `depth`: its waiting messages; null if their number is unknown. */
  webhook: { name: string; paused: boolean; depth: number | null };
  pending: boolean;
  isPausing: boolean;
  error?: unknown;
  onDeactivate: () => void;
  onPause: () => void;
  onClose: () => void;
}) {
  const { name, paused, depth } = webhook;
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title(name)}
      confirmLabel={texts.disableConfirm}
      pending={pending && !isPausing}
      error={error}
      alternative={
        paused ? undefined : { label: texts.pause, pending: pending && isPausing, onClick: onPause }
      }
      onConfirm={onDeactivate}
      onClose={onClose}
    >
      {depth === null && <>{texts.discardsAny} </>}
      {depth !== null && depth > 0 && <>{texts.discards(formatNumber(depth))} </>}
      {texts.loses}
      {!paused && <> {texts.pauseInstead}</>}
    </ConfirmDialog>
  );
}
