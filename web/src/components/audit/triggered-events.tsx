import type { AuditAction, AuditEntry, AuditObjectType } from '../../api/audit.ts';
import { useMay } from '../../session/session-context.ts';
import { audit } from '../../texts/audit.ts';
import { AnchorLink } from '../links.tsx';
import styles from './audit-list.module.css';

/** A change and its events have nearly the same time. */
const TOLERANCE_MS = 5_000;

/** Changes that can trigger events. */
const TRIGGERING: readonly AuditAction[] = [
  'ACCOUNT_CREATED',
  'ACCOUNT_UPDATED',
  'ACCOUNT_DELETED',
  'CONTENT_ADDED',
  'CONTENT_REMOVED',
  'COURSE_IMPORTED',
  'COURSE_VERSION_UPLOADED',
  'COURSE_VERSION_PUBLISHED',
  'REGISTRATION_STATUS_SET',
  'REGISTRATION_RESET',
  'UNIT_WAIVED',
];

/** The filter of the event log for an object. */
const FILTERS: Partial<Record<AuditObjectType, string>> = {
  ACCOUNT: 'account_id',
  COURSE: 'course_id',
  REGISTRATION: 'registration_id',
};

/** A link to the events that a change triggered, and from there to their messages. Absent if it cannot have any. */
export function TriggeredEvents({ entry: { action, object, changes, occurred_dt } }: { entry: AuditEntry }) {
  const mayRead = useMay()('webhooks:read');
  const filter = FILTERS[object.type];
  if (!mayRead || filter === undefined || object.id === null || !TRIGGERING.includes(action)) return null;
  // A new name triggers no event.
  if (action === 'ACCOUNT_UPDATED' && !changes.some(({ field }) => field === 'enabled')) return null;
  const at = Date.parse(occurred_dt);
  const search = {
    [filter]: object.type === 'REGISTRATION' ? object.id : Number(object.id),
    from: new Date(at - TOLERANCE_MS).toISOString(),
    to: new Date(at + TOLERANCE_MS).toISOString(),
  };
  return (
    <AnchorLink
      className={styles.events ?? ''}
      to="/administration/integrations/events"
      search={search as never}
    >
      {audit.triggered}
    </AnchorLink>
  );
}
