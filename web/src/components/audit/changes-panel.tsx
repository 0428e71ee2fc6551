import { useQuery } from '@tanstack/react-query';
import { type AuditObjectType, auditQuery } from '../../api/audit.ts';
import { useMay } from '../../session/session-context.ts';
import { audit } from '../../texts/audit.ts';
import { ErrorState } from '../error-state.tsx';
import { AnchorLink } from '../links.tsx';
import { Panel } from '../panel.tsx';
import styles from './audit-list.module.css';
import { AuditList } from './audit-list.tsx';

const SHOWN = 10;

/** The latest changes of an object, for those who may read the audit log. Renders nothing for others. */
export function ChangesPanel({ type, id }: { type: AuditObjectType; id: string | number }) {
  const mayRead = useMay()('audit:read');
  const about = { object_type: type, object_id: String(id) };
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...auditQuery(about, SHOWN),
    enabled: mayRead,
  });
  if (!mayRead) return null;
  const isEmpty = data !== undefined && data.data.length === 0 && data.next_cursor === null;
  return (
    <Panel
      title={audit.panel.title}
      description={audit.panel.description}
      flush
      actions={
        !isEmpty && (
          <AnchorLink to="/administration/audit-log" search={about as never}>
            {audit.panel.all}
          </AnchorLink>
        )
      }
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : isEmpty ? (
        <p className={styles.note}>{audit.panel.empty}</p>
      ) : (
        <AuditList entries={data?.data} stale={isPlaceholderData} />
      )}
    </Panel>
  );
}
