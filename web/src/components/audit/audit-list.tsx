import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { AuditEntry } from '../../api/audit.ts';
import { audit } from '../../texts/audit.ts';
import { shared } from '../../texts/shared.ts';
import { Time } from '../time.tsx';
import { AuditChanges } from './audit-changes.tsx';
import styles from './audit-list.module.css';
import { AuditSentence } from './audit-sentence.tsx';
import { TriggeredEvents } from './triggered-events.tsx';

const PLACEHOLDERS = ['first', 'second', 'third'];

/** Entries of the audit log: who did what, with the values before and after. */
export function AuditList({
  entries,
  stale = false,
}: {
  entries: readonly AuditEntry[] | undefined;
  stale?: boolean;
}) {
  if (entries === undefined) {
    return (
      <div className={styles.list} aria-busy="true">
        <VisuallyHidden role="status">{shared.loading}</VisuallyHidden>
        {PLACEHOLDERS.map((each) => (
          <div key={each} className={styles.entry}>
            <Skeleton height={14} width="70%" />
            <Skeleton height={14} width="50%" />
          </div>
        ))}
      </div>
    );
  }
  return (
    <ul className={styles.list} aria-label={audit.label} data-stale={stale || undefined}>
      {entries.map((entry) => (
        <li key={entry.id} className={styles.entry}>
          <div className={styles.when}>
            <Time value={entry.occurred_dt} format="absolute" />
          </div>
          <div className={styles.what}>
            <AuditSentence entry={entry} />
            <AuditChanges entry={entry} />
            <TriggeredEvents entry={entry} />
          </div>
        </li>
      ))}
    </ul>
  );
}
