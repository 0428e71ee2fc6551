import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ApiError, isRateLimited, isUnavailable } from '../api/errors.ts';
import { sessionQuery } from '../api/session.ts';
import { useConnectionLost } from '../session/connection-context.ts';
import { useRefusedReads } from '../session/use-refused-reads.ts';
import { navigation } from '../texts/navigation.ts';
import styles from './notice.module.css';

const RETRY_MS = 3_000;

/** Shows that the service does not respond, or does not send current data, and tries again until it does. */
export function ConnectionNotice() {
  const lost = useConnectionLost();
  const refusal = useRefusedReads();
  useQuery({ ...sessionQuery, refetchInterval: lost ? RETRY_MS : false });
  const Icon = lost ? IconPlugConnectedX : IconAlertTriangle;
  return (
    <div role="status">
      {(lost || refusal !== null) && (
        <div className={styles.notice} data-tone="bad">
          <Icon size={18} stroke={1.6} aria-hidden />
          <span>
            {lost || refusal === null ? navigation.connectionLost : wordsOf(refusal)} {navigation.outOfDate}
          </span>
        </div>
      )}
    </div>
  );
}

function wordsOf(refusal: ApiError): string {
  const words = navigation.refused;
  if (isRateLimited(refusal)) return words.tooMany;
  if (!isUnavailable(refusal)) return words.failed;
  // A proxy may send a problem, too, with words of its own.
  return refusal.code === 'unavailable' ? words.because(refusal.message) : words.unavailable;
}
