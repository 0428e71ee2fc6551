import { Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import styles from './empty-state.module.css';
import { keepsFocus } from './focus-heading.ts';

/** Says why there is nothing to show, and what to do. */
export function EmptyState({
  icon: Icon,
  title,
  description,
  action,
  heading = 'h2',
}: {
  icon?: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  description: ReactNode;
  action?: ReactNode;
  /** `h1` if it is the whole page. */
  heading?: 'h1' | 'h2' | 'h3';
}) {
  return (
    <div ref={keepsFocus} className={styles.empty}>
      {Icon !== undefined && (
        <span className={styles.icon} aria-hidden="true">
          <Icon size={24} stroke={1.5} />
        </span>
      )}
      <Title order={heading === 'h1' ? 1 : heading === 'h2' ? 2 : 3} size="h2" tabIndex={-1}>
        {title}
      </Title>
      <p className={styles.description}>{description}</p>
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  );
}
