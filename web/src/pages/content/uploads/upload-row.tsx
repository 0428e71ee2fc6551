import { ActionIcon, Progress, Tooltip } from '@mantine/core';
import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconRefresh,
  IconUpload,
  IconX,
} from '@tabler/icons-react';
import { focusNeighbour } from '../../../components/focus-heading.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { uploads } from '../../../texts/uploads.ts';
import { formatBytes } from '../../../utilities/numbers.ts';
import { explainUpload } from './explain-upload.ts';
import { isUnfinished, type UploadItem, type UploadQueue } from './upload-queue.ts';
import styles from './uploads.module.css';

const ICONS = {
  waiting: IconClock,
  sending: IconUpload,
  checking: IconUpload,
  done: IconCircleCheck,
  failed: IconAlertCircle,
  cancelled: IconCircleX,
} as const;

/** One upload: its progress, its result, and its actions. */
export function UploadRow({ item, queue }: { item: UploadItem; queue: UploadQueue }) {
  const { id, file, target, state } = item;
  const Icon = ICONS[state.kind];
  const canRetry =
    state.kind === 'cancelled' || (state.kind === 'failed' && !explainUpload(state.error, target).refused);
  return (
    <li className={styles.row} data-state={state.kind}>
      <span className={styles.icon} aria-hidden>
        <Icon size={18} stroke={1.6} />
      </span>
      <div className={styles.words}>
        <div className={styles.name}>
          <bdi>{file.name}</bdi>
        </div>
        <div className={styles.about}>
          {formatBytes(file.size)} ·{' '}
          <bdi>
            {target.kind === 'course' ? uploads.into(target.folderName) : uploads.ofCourse(target.courseName)}
          </bdi>
        </div>
        <Outcome item={item} />
      </div>
      <div className={styles.buttons}>
        {canRetry && (
          <Tooltip label={uploads.retryShort}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={uploads.retry(file.name)}
              onClick={({ currentTarget: button }) => {
                // It disappears, and the other one stays.
                (button.nextElementSibling as HTMLElement | null)?.focus();
                queue.retry(id);
              }}
            >
              <IconRefresh size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isUnfinished(item) ? uploads.cancel(file.name) : uploads.dismiss(file.name)}
          onClick={({ currentTarget: button }) => {
            if (isUnfinished(item)) {
              queue.cancel(id);
              return;
            }
            focusNeighbour(button);
            queue.remove(id);
          }}
        >
          <IconX size={16} stroke={1.6} />
        </ActionIcon>
      </div>
    </li>
  );
}

function Outcome({ item: { file, target, state } }: { item: UploadItem }) {
  switch (state.kind) {
    case 'waiting':
      return <div className={styles.state}>{uploads.states.waiting}</div>;
    case 'sending': {
      const percent = state.total === 0 ? 0 : Math.floor((100 * state.sent) / state.total);
      return (
        <div className={styles.sending}>
          <Progress
            value={percent}
            size="sm"
            aria-label={uploads.progressOf(file.name)}
            className={styles.bar ?? ''}
          />
          <span className={styles.percent}>{uploads.states.sending(percent)}</span>
        </div>
      );
    }
    case 'checking':
      return <div className={styles.state}>{uploads.states.checking}</div>;
    case 'cancelled':
      return <div className={styles.state}>{uploads.states.cancelled}</div>;
    case 'failed': {
      const { text, refused } = explainUpload(state.error, target);
      return (
        <div className={styles.failure}>
          <strong>{refused ? uploads.states.refused : uploads.states.failed}.</strong> {text}
        </div>
      );
    }
    case 'done': {
      const { id, name, version_id, warnings } = state.course;
      return (
        <>
          <div className={styles.state}>
            {target.kind === 'course' ? uploads.states.imported : uploads.states.version(version_id)} ·{' '}
            <AnchorLink size="sm" to="/content/courses/$courseId" params={{ courseId: String(id) }}>
              {target.kind === 'course' ? <bdi>{name}</bdi> : uploads.open}
            </AnchorLink>
          </div>
          {warnings.length > 0 && (
            <details className={styles.warnings}>
              <summary>{uploads.warnings(warnings.length)}</summary>
              <ul>
                {warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      );
    }
  }
}
