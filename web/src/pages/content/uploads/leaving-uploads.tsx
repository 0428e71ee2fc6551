import { useBlocker } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { LossQuestion } from '../../../components/loss-question.tsx';
import { uploads } from '../../../texts/uploads.ts';
import { isUnfinished, type UploadQueue } from './upload-queue.ts';

const words = uploads.leave;
const CONTENT_PATH = /^\/content(\/|$)/;

/**
 * Asks before the content pages are left, or the tab is closed, during uploads. If they end before someone answers, the
 * pages are left as requested, unless one of them has failed.
 */
export function LeavingUploads({ queue }: { queue: UploadQueue }) {
  const items = useSyncExternalStore(queue.subscribe, queue.items);
  const count = items.filter(isUnfinished).length;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ next }) => !CONTENT_PATH.test(next.pathname),
    enableBeforeUnload: () => count > 0,
    disabled: count === 0,
    withResolver: true,
  });
  /** The uploads that the question is about. */
  const asked = useRef<ReadonlySet<number>>(new Set());
  const noteAsked = useEffectEvent(() => {
    asked.current = new Set(items.filter(isUnfinished).map(({ id }) => id));
  });
  useEffect(() => {
    if (status === 'blocked') noteAsked();
  }, [status]);
  const answer = useEffectEvent(() => {
    const hasFailed = items.some(({ id, state }) => state.kind === 'failed' && asked.current.has(id));
    if (hasFailed) reset?.();
    else proceed?.();
  });
  useEffect(() => {
    if (count === 0 && status === 'blocked') answer();
  }, [count, status]);
  return (
    <LossQuestion
      opened={status === 'blocked'}
      question={{ title: words.title, description: words.description(count) }}
      keep={words.stay}
      lose={words.leave}
      onKeep={() => reset?.()}
      onLose={() => proceed?.()}
    />
  );
}
