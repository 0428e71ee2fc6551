import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { selection as texts } from '../../texts/selection.ts';
import { shared } from '../../texts/shared.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { Callout } from '../callout.tsx';
import { FormProblem } from '../form-problem.tsx';
import { KeepDialogOpen, RunDialog } from '../run-dialog.tsx';
import { SaveButton } from '../save-button.tsx';
import { progressOf } from './bulk-words.ts';
import { FailureList, MAX_NAMED } from './failure-list.tsx';
import styles from './selection.module.css';
import { type BulkAction, type BulkItem, useBulkRun } from './use-bulk-run.ts';

const WHOLE = 100;

interface BulkDialogProps<T> extends BulkAction<T> {
  /** Describes what else is lost. */
  children: ReactNode;
  /** Whether the number of items must be typed first. */
  typed?: boolean;
}

/**
 * Performs an action on many items, one call for each. It asks first, then shows progress until it is done or stopped.
 * At the end, it lists the failed items with the reasons.
 */
export function BulkDialog<T>({ opened, ...props }: BulkDialogProps<T> & { opened: boolean }) {
  const { items, words } = props;
  const title = words.title(items.length, items.length === 1 ? (items[0]?.name ?? null) : null);
  return (
    <RunDialog opened={opened} onClose={props.onClose} title={title}>
      <BulkForm {...props} />
    </RunDialog>
  );
}

function BulkForm<T>({ children, typed = false, ...action }: BulkDialogProps<T>) {
  const { items, words, onClose } = action;
  const { phase, done, failures, error, start, stop } = useBulkRun(action);
  const [text, setText] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const submit = () => {
    if (typed && phase === 'asking' && text.trim() !== String(items.length)) setMismatch(true);
    else start();
  };
  const isRunning = phase === 'running';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRunning) submit();
      }}
    >
      <Stack gap="md">
        <KeepDialogOpen when={isRunning} />
        {phase === 'asking' && (
          <Text component="div" size="md">
            {items.length > 1 && <Names items={items} />}
            {children}
          </Text>
        )}
        {phase === 'asking' && typed && (
          <TextInput
            label={texts.type(String(items.length))}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setMismatch(false);
            }}
            error={mismatch ? texts.mismatch : undefined}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
          />
        )}
        {phase !== 'asking' && (
          <div>
            <Progress
              value={((done + failures.length) / items.length) * WHOLE}
              animated={isRunning}
              aria-label={texts.progress}
            />
            <div role="status">{progressOf(phase, words, done, items.length, failures.length)}</div>
          </div>
        )}
        {failures.length > 0 && !isRunning && (
          <Callout tone="bad" title={words.failed(failures.length)} live>
            <FailureList failures={failures} />
          </Callout>
        )}
        <FormProblem error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isRunning ? stop : onClose}>
            {isRunning ? shared.stop : phase === 'asking' ? shared.cancel : shared.close}
          </Button>
          {(phase !== 'done' || failures.length > 0) && (
            <SaveButton color="red" saving={isRunning}>
              {phase === 'asking' || isRunning
                ? words.confirm(items.length)
                : phase === 'done'
                  ? texts.retry
                  : shared.continue}
            </SaveButton>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Names<T>({ items }: { items: readonly BulkItem<T>[] }) {
  return (
    <ul className={styles.list}>
      {items.slice(0, MAX_NAMED).map(({ name }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list does not change
        <li key={at}>
          <bdi>{name}</bdi>
        </li>
      ))}
      {items.length > MAX_NAMED && <li>{texts.more(formatNumber(items.length - MAX_NAMED))}</li>}
    </ul>
  );
}
