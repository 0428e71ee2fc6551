import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { useConnectionLost } from '../session/connection-context.ts';
import { navigation } from '../texts/navigation.ts';
import styles from './notice.module.css';

const RETRY_MS = 3_000;

/** Shows that the service does not respond, and polls it until it does. */
export function ConnectionNotice() {
  const lost = useConnectionLost();
  useQuery({ ...sessionQuery, refetchInterval: lost ? RETRY_MS : false });
  return (
    <div role="status">
      {lost && (
        <div className={styles.notice} data-tone="bad">
          <IconPlugConnectedX size={18} stroke={1.6} aria-hidden />
          <span>{navigation.connectionLost}</span>
        </div>
      )}
    </div>
  );
}
