import type { ReactNode } from 'react';
import styles from './status-badge.module.css';

/** What a state means: fine, look at it, broken, for your information, nothing in particular. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** A state in a word. The words carry the meaning, the colour only helps. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <span className={styles.dot} aria-hidden="true" />
      {children}
    </span>
  );
}
