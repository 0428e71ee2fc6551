import { Checkbox, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { DAY_MS } from '../../../../../src/time/units.ts';
import { replayCountQuery } from '../../../api/events.ts';
import { FormButtons } from '../../../components/form-buttons.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { RunButtons } from '../../../components/run-buttons.tsx';
import { KeepDialogOpen, RunDialog } from '../../../components/run-dialog.tsx';
import { useTimeInput } from '../../../components/use-time-input.ts';
import { shared } from '../../../texts/shared.ts';
import { webhookReplay as texts } from '../../../texts/webhook-replay.ts';
import { toInstant, toLocalTime } from '../../../utilities/local-time.ts';
import { type ReplayPlan, type ReplayRun, useReplay } from './use-replay.ts';

interface ReplayedWebhook {
  id: number;
  name: string;
  enabled: boolean;
}

/** Sends a webhook the events of a period that it missed. An inactive webhook is activated first. */
export function ReplayDialog({
  webhook,
  since,
  opened,
  onClose,
}: {
  webhook: ReplayedWebhook;
  /** The suggested start of the period; null for a day ago. */
  since: string | null;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <RunDialog opened={opened} onClose={onClose} title={texts.title}>
      <Replay webhook={webhook} since={since} onClose={onClose} />
    </RunDialog>
  );
}

function Replay({
  webhook,
  since,
  onClose,
}: {
  webhook: ReplayedWebhook;
  since: string | null;
  onClose: () => void;
}) {
  const { run, start, stop, resume } = useReplay();
  if (run === null) return <Period webhook={webhook} since={since} onStart={start} onClose={onClose} />;
  return <Progress run={run} onStop={stop} onResume={resume} onClose={onClose} />;
}

function Period({
  webhook,
  since,
  onStart,
  onClose,
}: {
  webhook: ReplayedWebhook;
  since: string | null;
  onStart: (plan: ReplayPlan) => void;
  onClose: () => void;
}) {
  const [dayAgo] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const from = useTimeInput(toLocalTime(since ?? dayAgo));
  const to = useTimeInput();
  const [again, setAgain] = useState(false);
  const isIncomplete = from.isIncomplete || to.isIncomplete;
  const fromInstant = toInstant(from.value);
  const period =
    isIncomplete || fromInstant === null ? null : { from: fromInstant, to: toInstant(to.value), again };
  // The clock of this machine may be wrong, so without an end only the service knows the order.
  const isValid = period !== null && (period.to === null || period.from < period.to);
  const { data, error, isFetching } = useQuery({
    ...replayCountQuery(webhook.id, period ?? { from: '', to: null, again }),
    enabled: isValid,
  });
  const count = isValid ? data : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isComplete = [to.check(), from.check()].every(Boolean);
    if (!isComplete || !isValid || count === undefined) return;
    onStart({ ...period, webhookId: webhook.id, activate: !webhook.enabled });
  };
  const faultOfStart =
    fromInstant === null ? texts.enterTime : isValid || isIncomplete ? undefined : texts.order;
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{texts.description(webhook.name)}</Text>
        {!webhook.enabled && <Text size="sm">{texts.activates}</Text>}
        <Group grow align="start">
          <TextInput label={texts.from} {...from.props} error={from.props.error ?? faultOfStart} />
          <TextInput
            label={texts.to}
            description={texts.toDescription}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...to.props}
          />
        </Group>
        <Checkbox
          label={texts.again}
          description={texts.againDescription}
          checked={again}
          onChange={({ currentTarget }) => setAgain(currentTarget.checked)}
        />
        <Group gap="xs" role="status">
          {isFetching && <Loader size="xs" />}
          <Text size="sm" fw={500}>
            {count === undefined
              ? isFetching && texts.counting
              : texts.found(count.count, count.isLowerBound)}
          </Text>
        </Group>
        <FormProblem error={isValid ? error : null} />
        <FormButtons
          submit={webhook.enabled ? texts.submit : texts.activateAndSubmit}
          pending={false}
          // An incomplete field is marked when the form is sent.
          disabled={!isIncomplete && (count === undefined || (count.count === 0 && webhook.enabled))}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function Progress({
  run: { phase, queued, error },
  onStop,
  onResume,
  onClose,
}: {
  run: ReplayRun;
  onStop: () => void;
  onResume: () => void;
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <KeepDialogOpen when={phase === 'running'} />
      <Group gap="xs" role="status">
        {phase === 'running' && <Loader size="xs" />}
        <span>{texts[phase](queued)}</span>
      </Group>
      <FormProblem error={error} />
      <RunButtons
        isRunning={phase === 'running'}
        next={
          phase === 'stopped' || phase === 'failed' ? { label: shared.continue, onClick: onResume } : null
        }
        onStop={onStop}
        onClose={onClose}
      />
    </Stack>
  );
}
