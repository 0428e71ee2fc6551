import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { concernsAll, isProblem } from '../../api/errors.ts';
import { selection as texts } from '../../texts/selection.ts';
import { shared } from '../../texts/shared.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { useIsShown } from '../../utilities/use-is-shown.ts';
import { Callout } from '../callout.tsx';
import { FormProblem } from '../form-problem.tsx';
import { notifyDone, notifyLeft } from '../notify.tsx';
import { KeptOpen, RunDialog } from '../run-dialog.tsx';
import { FailureList, MAX_NAMED, namesOf } from './failure-list.tsx';
import styles from './selection.module.css';

const WHOLE = 100;
const HTTP_NOT_FOUND = 404;

/** An item of a bulk action, with its display name. */
export interface BulkItem<T> {
  row: T;
  name: string;
}

interface Failure<T> extends BulkItem<T> {
  error: unknown;
}

interface BulkDialogProps<T> {
  items: readonly BulkItem<T>[];
  /** The texts of the action. */
  words: BulkWords;
  /** Describes what else is lost. */
  children: ReactNode;
  /** Whether the number of items must be typed first. */
  typed?: boolean;
  act: (row: T) => Promise<unknown>;
  /** Called after each item that was processed or no longer exists. */
  onDone: (row: T) => void;
  /** Called when a run ends, so that lists can be refreshed. */
  onEnd: () => Promise<unknown>;
  onClose: () => void;
}

/** The texts of a bulk action. */
export interface BulkWords {
  title: (count: string, name: string | null) => string;
  confirm: (count: string, one: boolean) => string;
  progress: (done: string, total: string) => string;
  done: (count: string, one: boolean) => string;
  stopped: (done: string, left: string) => string;
  failed: (count: string, one: boolean) => string;
}

type Phase = 'asking' | 'running' | 'stopped' | 'failed' | 'done';

/**
 * Performs an action on many items, one call for each. It asks first, then shows progress until it is done or stopped.
 * At the end, it lists the failed items with the reasons.
 */
export function BulkDialog<T>({ opened, ...props }: BulkDialogProps<T> & { opened: boolean }) {
  const { items, words } = props;
  const title = words.title(formatNumber(items.length), items.length === 1 ? (items[0]?.name ?? null) : null);
  return (
    <RunDialog opened={opened} onClose={props.onClose} title={title}>
      <BulkForm {...props} />
    </RunDialog>
  );
}

function BulkForm<T>({
  items,
  words,
  children,
  typed = false,
  act,
  onDone,
  onEnd,
  onClose,
}: BulkDialogProps<T>) {
  const [phase, setPhase] = useState<Phase>('asking');
  const [done, setDone] = useState(0);
  const [failures, setFailures] = useState<readonly Failure<T>[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [text, setText] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const waiting = useRef(items);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);

  const run = async (those: readonly BulkItem<T>[]) => {
    const stop = new AbortController();
    stopper.current = stop;
    setPhase('running');
    setError(null);
    let left = those;
    let end: Phase = 'done';
    let failure: unknown = null;
    let doneNow = done;
    const failed = phase === 'done' ? [] : [...failures];
    const succeed = (row: T) => {
      onDone(row);
      doneNow += 1;
      setDone(doneNow);
    };
    for (const item of those) {
      if (stop.signal.aborted) {
        end = 'stopped';
        break;
      }
      try {
        // The current call is finished, so that its result is not lost.
        await act(item.row);
        succeed(item.row);
      } catch (cause) {
        if (isProblem(cause, HTTP_NOT_FOUND)) {
          // Someone else has already done it.
          succeed(item.row);
        } else if (concernsAll(cause)) {
          setError(cause);
          failure = cause;
          end = 'failed';
          break;
        } else {
          failed.push({ ...item, error: cause });
          setFailures([...failed]);
        }
      }
      left = left.slice(1);
    }
    waiting.current = left;
    setPhase(end);
    if (end === 'done' && failed.length === 0) {
      notifyDone(words.done(formatNumber(doneNow), doneNow === 1));
      onClose();
    } else if (!isShown()) {
      const count = formatNumber(items.length);
      const result = progressOf(
        left.length > 0 ? 'stopped' : end,
        words,
        doneNow,
        items.length,
        failed.length,
      );
      const title = words.confirm(count, items.length === 1);
      notifyLeft(title, [result, ...failuresIn(words, failed)].join(' '), failure);
    }
    await onEnd();
  };

  const submit = () => {
    if (typed && phase === 'asking' && text.trim() !== String(items.length)) setMismatch(true);
    else if (phase === 'done') {
      setFailures([]);
      void run(failures);
    } else void run(waiting.current);
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
        <KeptOpen when={isRunning} />
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
          <Callout tone="bad" title={words.failed(formatNumber(failures.length), failures.length === 1)} live>
            <FailureList failures={failures} />
          </Callout>
        )}
        <FormProblem error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isRunning ? () => stopper.current?.abort() : onClose}>
            {isRunning ? shared.stop : phase === 'asking' ? shared.cancel : shared.close}
          </Button>
          {(phase !== 'done' || failures.length > 0) && (
            <Button type="submit" color="red" loading={isRunning}>
              {phase === 'asking' || isRunning
                ? words.confirm(formatNumber(items.length), items.length === 1)
                : phase === 'done'
                  ? texts.retry
                  : shared.continue}
            </Button>
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

/** A sentence about the failed items, for a notice; none if there are none. */
function failuresIn<T>(words: BulkWords, failed: readonly Failure<T>[]): string[] {
  if (failed.length === 0) return [];
  return [words.failed(formatNumber(failed.length), failed.length === 1), namesOf(failed)];
}

function progressOf(phase: Phase, words: BulkWords, done: number, total: number, failed: number): string {
  const doneText = formatNumber(done);
  switch (phase) {
    case 'done':
      return words.done(doneText, done === 1);
    case 'stopped':
      return words.stopped(doneText, formatNumber(total - done - failed));
    default:
      return words.progress(doneText, formatNumber(total));
  }
}
