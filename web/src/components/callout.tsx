import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './callout.module.css';
import type { Tone } from './status-badge.tsx';

const ICONS = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconAlertTriangle,
  info: IconInfoCircle,
  quiet: IconInfoCircle,
};

/**
 * A message that stands within a page or a form. `live` has it read out when it appears, and again when it changes;
 * with `title`, the title alone: for what goes on changing below it.
 */
export function Callout({
  tone = 'info',
  title,
  live = false,
  children,
}: {
  tone?: Tone;
  title?: string;
  live?: boolean | 'title';
  children?: ReactNode;
}) {
  const Icon = ICONS[tone];
  return (
    <div className={styles.callout} data-tone={tone} role={live === true ? 'alert' : undefined}>
      <Icon size={18} stroke={1.6} aria-hidden />
      <div className={styles.words}>
        {title !== undefined && (
          <div className={styles.title} role={live === 'title' ? 'alert' : undefined}>
            {title}
          </div>
        )}
        {children}
      </div>
    </div>
  );
}
