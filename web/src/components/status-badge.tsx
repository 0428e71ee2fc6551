import type { ReactNode } from 'react';
import styles from './status-badge.module.css';

/** The meaning of a state: good, needs attention, broken, information, neutral. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** A state in a word. The word carries the meaning; the colour only supports it. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <span className={styles.dot} aria-hidden="true" />
      {children}
    </span>
  );
}
