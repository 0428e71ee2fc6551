import { Modal, Progress, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { deadLettersKey, type RedeliveryStep, redeliverDeadLetters } from '../api/dead-letters.ts';
import { redeliverMatching } from '../api/deliveries.ts';
import { webhooksKey } from '../api/webhooks.ts';
import { deadLetters } from '../texts/dead-letters.ts';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { FormProblem } from './form-problem.tsx';
import { RunButtons } from './run-buttons.tsx';

const texts = deadLetters.redelivery;
const WHOLE = 100;

interface Run {
  phase: 'asking' | 'running' | 'stopped' | 'failed' | 'done';
  done: number;
  left: number;
  leftIsMinimum: boolean;
  /** Where the next step goes on; null before the first step. Later dead letters are not included. */
  until: string | null;
  error: unknown;
}

const START: Run = { phase: 'asking', done: 0, left: 0, leftIsMinimum: false, until: null, error: null };

/** Redelivers the dead letters of a webhook, or of all (null): step by step, with progress, until it is stopped. */
export function RedeliveryDialog({
  opened,
  webhook,
  filter = null,
  onClose,
}: {
  opened: boolean;
  webhook: { id: number; name: string } | null;
  /** Members of the API; null for all dead letters. */
  filter?: object | null;
  onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={texts.title} size="md">
      <RedeliveryForm webhook={webhook} filter={filter} onClose={onClose} />
    </Modal>
  );
}

function RedeliveryForm({
  webhook,
  filter,
  onClose,
}: {
  filter: object | null;
  webhook: { id: number; name: string } | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [run, setRun] = useState(START);
  const stopper = useRef<AbortController>(null);
  // Closing the dialog stops it.
  useEffect(() => () => stopper.current?.abort(), []);

  const start = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    let state: Run = { ...run, phase: 'running', error: null };
    setRun(state);
    try {
      while (!stop.signal.aborted) {
        // A step that has started is finished, so that its count is not lost.
        state =
          webhook !== null && filter !== null
            ? afterMatching(state, await redeliverMatching(webhook.id, filter, state.until))
            : after(state, await redeliverDeadLetters(webhook?.id ?? null, state.until));
        if (state.phase === 'done') break;
        setRun(state);
      }
      setRun(state.phase === 'done' ? state : { ...state, phase: 'stopped' });
    } catch (error) {
      setRun({ ...state, phase: 'failed', error });
    }
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      queryClient.invalidateQueries({ queryKey: webhooksKey }),
    ]);
  };

  const total = run.done + run.left;
  const words = total === 0 ? texts.running : progressWords(run, total);
  return (
    <Stack gap="md">
      <div>
        {webhook === null
          ? texts.ofAll
          : filter === null
            ? texts.ofOne(webhook.name)
            : texts.ofMatching(webhook.name)}
      </div>
      {run.phase !== 'asking' && (
        <div>
          <Progress
            value={run.phase === 'done' ? WHOLE : total === 0 ? 0 : (run.done / total) * WHOLE}
            animated={run.phase === 'running'}
            aria-label={texts.progressLabel}
          />
          <div role="status">{words}</div>
        </div>
      )}
      <FormProblem error={run.error} />
      <RunButtons
        isRunning={run.phase === 'running'}
        next={
          run.phase === 'done'
            ? null
            : { label: run.phase === 'asking' ? texts.start : shared.continue, onClick: () => void start() }
        }
        onStop={() => stopper.current?.abort()}
        onClose={onClose}
      />
    </Stack>
  );
}

function after(state: Run, step: RedeliveryStep): Run {
  // A step without results ends it: the rest belongs to webhooks that became inactive.
  const isDone = step.remaining === 0 || step.redelivered === 0;
  return {
    ...state,
    phase: isDone ? 'done' : 'running',
    done: state.done + step.redelivered,
    left: step.remaining,
    leftIsMinimum: step.remaining_is_lower_bound,
    until: step.until_dt,
  };
}

function afterMatching(state: Run, step: Awaited<ReturnType<typeof redeliverMatching>>): Run {
  const isDone = step.next_cursor == null;
  return {
    ...state,
    phase: isDone ? 'done' : 'running',
    done: state.done + step.redelivered,
    left: step.remaining,
    leftIsMinimum: false,
    until: step.next_cursor ?? null,
  };
}

function progressWords(run: Run, total: number): string {
  const done = formatNumber(run.done);
  const atLeast = (count: number) =>
    run.leftIsMinimum ? texts.more(formatNumber(count)) : formatNumber(count);
  switch (run.phase) {
    case 'done':
      return run.done === 0 ? texts.none : run.done === 1 ? texts.doneOne : texts.done(done);
    case 'stopped':
      return texts.stopped(done, atLeast(run.left));
    default:
      return texts.progress(done, atLeast(total));
  }
}
