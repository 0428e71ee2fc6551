import { Group, Loader, Progress, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import {
  type DeadLetterAction,
  type DeadLetterStep,
  deadLettersKey,
  stepOverDeadLetters,
} from '../api/dead-letters.ts';
import { actOnMatching, type MatchingStep } from '../api/deliveries.ts';
import { webhooksKey } from '../api/webhooks.ts';
import { deadLetters } from '../texts/dead-letters.ts';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { useIsShown } from '../utilities/use-is-shown.ts';
import { FormProblem } from './form-problem.tsx';
import { notifyLeft } from './notify.tsx';
import { RunButtons } from './run-buttons.tsx';
import { KeptOpen, RunDialog } from './run-dialog.tsx';

const WHOLE = 100;

interface Run {
  phase: 'asking' | 'running' | 'stopped' | 'failed' | 'done';
  done: number;
  left: number;
  leftIsMinimum: boolean;
  /** Later dead letters are not included; null before the first step. */
  until: string | null;
  /** The cursor of the next step; null before the first step. */
  cursor: string | null;
  error: unknown;
}

const START: Run = {
  phase: 'asking',
  done: 0,
  left: 0,
  leftIsMinimum: false,
  until: null,
  cursor: null,
  error: null,
};

/** The dead letters that the dialog processes. */
interface Selection {
  action: DeadLetterAction;
  /** Null: all webhooks. */
  webhook: { id: number; name: string } | null;
  /** Members of the API; null for all dead letters. */
  filter: object | null;
  /** Whether the filter comes from the history, which may contain discarded messages. */
  ofHistory?: boolean;
}

const NOTHING_ASKED: Selection = { action: 'redeliver', webhook: null, filter: null };

/**
 * Redelivers or removes the dead letters of one webhook, or of all, step by step with progress, until it is stopped.
 * Returns the function that asks, and the dialog. The dialog keeps to what was asked, whatever the address becomes.
 * @param onRun called when it has processed messages
 */
export function useRedelivery(onRun?: () => void): {
  ask: (selection: Selection) => void;
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
  webhook,
  filter,
  ofHistory = false,
  action,
  onRun,
  onClose,
}: Selection & { onRun: (() => void) | undefined; onClose: () => void }) {
  const texts = deadLetters.runs[action];
  const words = filter === null ? progressWords : progressOfMatching;
  const queryClient = useQueryClient();
  const [run, setRun] = useState(START);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);
  // On phones, people close dialogs with Back. The list behind then shows other messages.
  const address = useLocation({ select: ({ href }) => href });
  const [askedAt] = useState(address);
  const leave = useEffectEvent(() => {
    if (run.phase === 'asking') onClose();
  });
  useEffect(() => {
    if (address !== askedAt) leave();
  }, [address, askedAt]);

  const start = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    let state: Run = { ...run, phase: 'running', error: null };
    setRun(state);
    try {
      while (!stop.signal.aborted) {
        // The current step is finished, so that its count is not lost.
        state =
          ofHistory && webhook !== null && filter !== null
            ? afterMatching(state, await actOnMatching(action, webhook.id, filter, state.cursor))
            : after(
                state,
                await stepOverDeadLetters(action, { ...state, webhookId: webhook?.id ?? null, filter }),
              );
        if (state.phase === 'done') break;
        setRun(state);
      }
      if (state.phase !== 'done') state = { ...state, phase: 'stopped' };
    } catch (error) {
      state = { ...state, phase: 'failed', error };
    }
    setRun(state);
    if (!isShown()) {
      const end: Run = state.phase === 'done' ? state : { ...state, phase: 'stopped' };
      notifyLeft(texts.title, words(texts, end), state.error);
    }
    onRun?.();
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      queryClient.invalidateQueries({ queryKey: webhooksKey }),
    ]);
  };

  const total = run.done + run.left;
  const isRunning = run.phase === 'running';
  return (
    <Stack gap="md">
      <KeptOpen when={isRunning} />
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
      {run.phase !== 'asking' && filter === null && (
        <div>
          <Progress
            value={run.phase === 'done' ? WHOLE : total === 0 ? 0 : (run.done / total) * WHOLE}
            animated={isRunning}
            aria-label={texts.progressLabel}
          />
          <div role="status">{words(texts, run)}</div>
        </div>
      )}
      {run.phase !== 'asking' && filter !== null && (
        // The number of matches is not known, only that of the messages to examine.
        <Group gap="xs" role="status">
          {isRunning && <Loader size="xs" />}
          <span>{words(texts, run)}</span>
        </Group>
      )}
      <FormProblem error={run.error} />
      <RunButtons
        isRunning={isRunning}
        color={action === 'remove' ? 'red' : undefined}
        next={
          run.phase === 'done'
            ? null
            : {
                label:
                  run.phase !== 'asking'
                    ? shared.continue
                    : filter === null
                      ? texts.start
                      : texts.startMatching,
                onClick: () => void start(),
              }
        }
        onStop={() => stopper.current?.abort()}
        onClose={onClose}
      />
    </Stack>
  );
}

function after(state: Run, step: DeadLetterStep): Run {
  return {
    ...state,
    phase: step.next_cursor === null ? 'done' : 'running',
    done: state.done + step.done,
    left: step.remaining,
    leftIsMinimum: step.remaining_is_lower_bound,
    until: step.until_dt,
    cursor: step.next_cursor,
  };
}

function afterMatching(state: Run, step: MatchingStep): Run {
  return {
    ...state,
    phase: step.next_cursor === null ? 'done' : 'running',
    done: state.done + step.done,
    left: step.remaining,
    leftIsMinimum: false,
    cursor: step.next_cursor,
  };
}

type RunWords = (typeof deadLetters.runs)[DeadLetterAction];

function progressWords(texts: RunWords, run: Run): string {
  const done = formatNumber(run.done);
  const total = run.done + run.left;
  const atLeast = (count: number) =>
    run.leftIsMinimum ? texts.more(formatNumber(count)) : formatNumber(count);
  switch (run.phase) {
    case 'done':
      return doneWords(texts, run);
    case 'stopped':
      return texts.stopped(done, atLeast(run.left));
    default:
      return total === 0 ? texts.running : texts.progress(done, atLeast(total));
  }
}

function progressOfMatching(texts: RunWords, run: Run): string {
  const done = formatNumber(run.done);
  switch (run.phase) {
    case 'done':
      return doneWords(texts, run);
    case 'stopped':
      return texts.stoppedMatching(done);
    case 'failed':
      return texts.failedMatching(done);
    default:
      return run.cursor === null ? texts.running : texts.progressOfMatching(done);
  }
}

function doneWords(texts: RunWords, { done }: Run): string {
  return done === 0 ? texts.none : done === 1 ? texts.doneOne : texts.done(formatNumber(done));
}
