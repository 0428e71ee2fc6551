import { Progress, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../../components/form-buttons.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { RunButtons } from '../../../components/run-buttons.tsx';
import { KeepDialogOpen, RunDialog } from '../../../components/run-dialog.tsx';
import { useTimeInput } from '../../../components/use-time-input.ts';
import { shared } from '../../../texts/shared.ts';
import { waiting } from '../../../texts/waiting.ts';
import { toInstant } from '../../../utilities/local-time.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { isSameName } from '../../../utilities/same-name.ts';
import { type PurgeRun, usePurge } from './use-purge.ts';

const texts = waiting.purging;
const WHOLE = 100;

interface PurgedWebhook {
  id: number;
  name: string;
}

/**
 * Discards the waiting messages, step by step with progress, until it is stopped. The name of the webhook must be typed
 * first.
 */
export function PurgeDialog({
  webhook,
  depth,
  opened,
  onClose,
}: {
  webhook: PurgedWebhook;
  /** The number of waiting messages. */
  depth: number;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <RunDialog opened={opened} onClose={onClose} title={texts.title}>
      <Purge webhook={webhook} depth={depth} onClose={onClose} />
    </RunDialog>
  );
}

function Purge({ webhook, depth, onClose }: { webhook: PurgedWebhook; depth: number; onClose: () => void }) {
  const { run, start, resume, stop } = usePurge(webhook.id);
  if (run === null) return <Confirm webhook={webhook} depth={depth} onStart={start} onClose={onClose} />;
  return <Running run={run} onStop={stop} onResume={resume} onClose={onClose} />;
}

function Confirm({
  webhook,
  depth,
  onStart,
  onClose,
}: {
  webhook: PurgedWebhook;
  depth: number;
  onStart: (until: string | null) => void;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const until = useTimeInput();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const matches = isSameName(typed, webhook.name);
    setMismatch(!matches);
    if (until.check() && matches) onStart(toInstant(until.value));
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text component="div" size="md">
          {texts.description(webhook.name, depth)}
        </Text>
        <TextInput
          label={texts.until}
          description={texts.untilDescription}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...until.props}
        />
        <TextInput
          label={shared.confirm.type(webhook.name)}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setMismatch(false);
          }}
          error={mismatch ? shared.confirm.mismatch : undefined}
          autoComplete="off"
          data-autofocus
        />
        <FormButtons submit={texts.submit} pending={false} color="red" onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Running({
  run,
  onStop,
  onResume,
  onClose,
}: {
  run: PurgeRun;
  onStop: () => void;
  onResume: () => void;
  onClose: () => void;
}) {
  const { phase, done, left, error } = run;
  const total = done + left;
  return (
    <Stack gap="md">
      <KeepDialogOpen when={phase === 'running'} />
      <div>
        <Progress
          value={phase === 'done' ? WHOLE : total === 0 ? 0 : (done / total) * WHOLE}
          animated={phase === 'running'}
          aria-label={texts.progressLabel}
        />
        <div role="status">{wordsOf(run)}</div>
      </div>
      <FormProblem error={error} />
      <RunButtons
        isRunning={phase === 'running'}
        color="red"
        next={
          phase === 'stopped' || phase === 'failed' ? { label: shared.continue, onClick: onResume } : null
        }
        onStop={onStop}
        onClose={onClose}
      />
    </Stack>
  );
}

function wordsOf({ phase, done, left }: PurgeRun): string {
  switch (phase) {
    case 'done':
      return texts.done(done);
    case 'stopped':
      return texts.stopped(formatNumber(done), formatNumber(left));
    case 'failed':
      return texts.failed(formatNumber(done));
    case 'running':
      return done === 0 ? texts.running : texts.progress(formatNumber(done), formatNumber(done + left));
  }
}
