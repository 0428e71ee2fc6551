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
 * A message within a page or a form. With `live`, screen readers announce it when it appears or changes; if it has
 * a `title`, only the title is announced, for content that keeps changing.
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
