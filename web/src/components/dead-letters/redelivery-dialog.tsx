import { Group, Loader, Progress, Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { DeadLetterAction } from '../../api/dead-letters.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { shared } from '../../texts/shared.ts';
import { FormProblem } from '../form-problem.tsx';
import { RunButtons } from '../run-buttons.tsx';
import { KeepDialogOpen, RunDialog } from '../run-dialog.tsx';
import { progressOf, type RedeliveryRun } from './redelivery-run.ts';
import { type RedeliverySelection, useRedeliveryRun } from './use-redelivery-run.ts';

const WHOLE = 100;

const NOTHING_ASKED: RedeliverySelection = { action: 'redeliver', webhook: null, filter: null };

/**
 * Redelivers or removes the dead letters of one webhook, or of all, step by step with progress, until it is stopped.
 * Returns the function that asks, and the dialog. The dialog is about the messages that it was opened for, even if
 * the address changes.
 * @param onRun called when it has processed messages
 */
export function useRedelivery(onRun?: () => void): {
  ask: (selection: RedeliverySelection) => void;
  dialog: ReactNode;
} {
  const [asked, setAsked] = useState(NOTHING_ASKED);
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return {
    ask: (selection) => {
      setAsked(selection);
      setOpened(true);
    },
    dialog: (
      <RunDialog opened={opened} onClose={close} title={deadLetters.runs[asked.action].title}>
        <RedeliveryForm {...asked} onRun={onRun} onClose={close} />
      </RunDialog>
    ),
  };
}

function RedeliveryForm({
  onRun,
  onClose,
  ...selection
}: RedeliverySelection & { onRun: (() => void) | undefined; onClose: () => void }) {
  const { action, webhook, filter, ofHistory = false } = selection;
  const texts = deadLetters.runs[action];
  const { run, start, resume, stop } = useRedeliveryRun(selection, onRun);
  // On phones, people close dialogs with Back. The list behind then shows other messages.
  const address = useLocation({ select: ({ href }) => href });
  const [askedAt] = useState(address);
  const leave = useEffectEvent(() => {
    if (run === null) onClose();
  });
  useEffect(() => {
    if (address !== askedAt) leave();
  }, [address, askedAt]);

  const isRunning = run?.phase === 'running';
  return (
    <Stack gap="md">
      <KeepDialogOpen when={isRunning} />
      <div>
        {webhook === null
          ? filter === null
            ? texts.ofAll
            : texts.ofAllMatching
          : filter === null
            ? texts.ofOne(webhook.name)
            : ofHistory
              ? texts.ofHistory(webhook.name)
              : texts.ofMatching(webhook.name)}
      </div>
      {run !== null && <RedeliveryProgress run={run} action={action} isMatching={filter !== null} />}
      <FormProblem error={run?.error} />
      <RunButtons
        isRunning={isRunning}
        color={action === 'remove' ? 'red' : undefined}
        next={
          run === null
            ? { label: filter === null ? texts.start : texts.startMatching, onClick: start }
            : run.phase === 'done'
              ? null
              : { label: shared.continue, onClick: resume }
        }
        onStop={stop}
        onClose={onClose}
      />
    </Stack>
  );
}

function RedeliveryProgress({
  run,
  action,
  isMatching,
}: {
  run: RedeliveryRun;
  action: DeadLetterAction;
  isMatching: boolean;
}) {
  const isRunning = run.phase === 'running';
  const words = progressOf(action, isMatching, run);
  if (isMatching) {
    // The number of matches is not known, only that of the messages to examine.
    return (
      <Group gap="xs" role="status">
        {isRunning && <Loader size="xs" />}
        <span>{words}</span>
      </Group>
    );
  }
  const total = run.done + run.left;
  return (
    <div>
      <Progress
        value={run.phase === 'done' ? WHOLE : total === 0 ? 0 : (run.done / total) * WHOLE}
        animated={isRunning}
        aria-label={deadLetters.runs[action].progressLabel}
      />
      <div role="status">{words}</div>
    </div>
  );
}
