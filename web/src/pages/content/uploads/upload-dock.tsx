import { ActionIcon, Button, Progress, Tooltip, VisuallyHidden } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { keepsFocus } from '../../../components/focus-heading.ts';
import { uploads } from '../../../texts/uploads.ts';
import { explainUpload } from './explain-upload.ts';
import { isUnfinished, type UploadItem, type UploadQueue } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';
import styles from './uploads.module.css';

const HEIGHT_VARIABLE = '--upload-dock-height';

/** The uploads since the content pages were opened, with their progress and results, at the edge of the page. */
export function UploadDock({ queue }: { queue: UploadQueue }) {
  const items = useSyncExternalStore(queue.subscribe, queue.items);
  const [opened, setOpened] = useState(true);
  const dock = useRef<HTMLElement>(null);
  const dockRef = useMergedRef(dock, keepsFocus);
  const isShown = items.length > 0;
  useEffect(() => {
    if (!isShown || dock.current === null) return;
    // Notifications are above it.
    const root = document.documentElement.style;
    const observer = new ResizeObserver(([entry]) =>
      root.setProperty(HEIGHT_VARIABLE, `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`),
    );
    observer.observe(dock.current);
    return () => {
      observer.disconnect();
      root.removeProperty(HEIGHT_VARIABLE);
    };
  }, [isShown]);
  if (!isShown) return <VisuallyHidden role="status" />;
  const unfinished = items.filter(isUnfinished);
  const failed = items.filter(canSendAgain);
  return (
    <section ref={dockRef} className={styles.dock} aria-label={uploads.label} data-upload-dock>
      <header className={styles.dockHead}>
        <div className={styles.dockTitle}>{summary(items)}</div>
        {failed.length > 1 && unfinished.length === 0 && (
          <Button
            ref={keepsFocus}
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              for (const { id } of failed) queue.retry(id);
            }}
          >
            {uploads.retryAll}
          </Button>
        )}
        {unfinished.length > 0 && (
          <Button
            ref={keepsFocus}
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => queue.cancelAll()}
          >
            {uploads.cancelAll}
          </Button>
        )}
        <Tooltip label={opened ? uploads.collapse : uploads.expand}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={opened ? uploads.collapse : uploads.expand}
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            {opened ? <IconChevronDown size={16} /> : <IconChevronUp size={16} />}
          </ActionIcon>
        </Tooltip>
        {unfinished.length === 0 && (
          <Tooltip label={uploads.close}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={uploads.close}
              onClick={() => queue.clear()}
            >
              <IconX size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </header>
      {unfinished.length > 0 && (
        <Progress value={percentOf(items)} size={3} radius={0} aria-hidden className={styles.overall ?? ''} />
      )}
      {opened && (
        <ul className={styles.list}>
          {items.map((item) => (
            <UploadRow key={item.id} item={item} queue={queue} />
          ))}
        </ul>
      )}
      <VisuallyHidden role="status">{announcement(items)}</VisuallyHidden>
    </section>
  );
}

/** A rejected package would be rejected again. */
function canSendAgain({ state, target }: UploadItem): boolean {
  return state.kind === 'failed' && !explainUpload(state.error, target).refused;
}

function summary(items: readonly UploadItem[]): string {
  const count = (kind: UploadItem['state']['kind']) =>
    items.filter(({ state }) => state.kind === kind).length;
  const unfinished = items.filter(isUnfinished).length;
  if (unfinished > 0) return uploads.progress(items.length - unfinished, items.length);
  if (count('failed') > 0) return uploads.finishedWith(count('done'), count('failed'));
  return count('done') > 0 ? uploads.finished(count('done')) : uploads.cancelled;
}

/** Progress in bytes, so that it is steady even if the files differ in size. */
function percentOf(items: readonly UploadItem[]): number {
  let sent = 0;
  let total = 0;
  for (const { file, state } of items) {
    if (state.kind === 'cancelled') continue;
    total += file.size;
    if (state.kind === 'sending') sent += state.sent;
    else if (state.kind !== 'waiting') sent += file.size;
  }
  return total === 0 ? 0 : (100 * sent) / total;
}

/** The upload that ended last, for screen readers. */
function announcement(items: readonly UploadItem[]): string {
  const ended = items.filter(({ state }) => state.kind === 'done' || state.kind === 'failed');
  return ended
    .slice(-3)
    .map(({ file, state }) =>
      state.kind === 'done' ? uploads.announceDone(file.name) : uploads.announceFailed(file.name),
    )
    .join('. ');
}
