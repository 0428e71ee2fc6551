import {
  focusManager,
  notifyManager,
  type Query,
  type QueryCache,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { type ApiError, isRefusal } from '../api/errors.ts';

/** Live data is read again by its own query, too. Other data is read again only here. */
const RETRY_MS = 10_000;

/**
 * Why the service refuses to send data again that is shown as it was read last; null if it does not refuse. Reads that
 * data again until the service sends it.
 */
export function useRefusedReads(): ApiError | null {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener)),
    [cache],
  );
  const refusal = useSyncExternalStore(subscribe, () => firstRefusal(cache));
  const isRefused = refusal !== null;
  useEffect(() => {
    if (!isRefused) return;
    const timer = setInterval(() => {
      // As in polls, nobody sees the data of a hidden tab.
      if (!focusManager.isFocused()) return;
      void client.refetchQueries({ predicate: wasRefused }, { cancelRefetch: false });
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [client, isRefused]);
  return refusal;
}

function firstRefusal(cache: QueryCache): ApiError | null {
  const error = cache.getAll().find(wasRefused)?.state.error;
  return isRefusal(error) ? error : null;
}

/** Whether a query has data, and the service refused to send it again. Without data, its part of the page shows the error. */
function wasRefused(query: Query): boolean {
  return isRefusal(query.state.error) && query.state.data !== undefined && query.isActive();
}
