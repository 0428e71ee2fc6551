import {
  type FetchQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { MINUTE_MS } from '../../../src/time/units.ts';
import type { Connection } from './connection.ts';
import { ApiError, isUnauthorized, UnreachableError } from './errors.ts';
import { isOtherSession } from './own-session.ts';
import { sessionQuery, signedOut } from './session.ts';

const FRESH_MS = 5_000;
const KEPT_MS = 10 * MINUTE_MS;
const MAX_RETRIES = 2;

/**
 * Defaults for all queries. Data is fresh for some seconds. Problems are not retried, because the response would be the
 * same. A 401 anywhere ends the session on this page.
 */
export function createQueryClient(connection: Connection): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof UnreachableError) connection.report(true);
    else if (error instanceof ApiError) connection.report(false);
    if (!isUnauthorized(error) || isOtherSession()) return;
    if (client.getQueryData(sessionQuery.queryKey)?.signedIn === true) {
      client.setQueryData(sessionQuery.queryKey, signedOut);
    }
  };
  const onSuccess = () => {
    if (!connection.isLost()) return;
    connection.report(false);
    // Queries that failed in the meantime are repeated automatically. If a click has already repeated one, it
    // continues, because cancelling it would lose the click.
    void client.refetchQueries(
      { type: 'active', predicate: ({ state }) => state.error instanceof UnreachableError },
      { cancelRefetch: false },
    );
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError, onSuccess }),
    mutationCache: new MutationCache({ onError, onSuccess }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: KEPT_MS,
        networkMode: 'always',
        retry: (failures, error) => !(error instanceof ApiError) && failures < MAX_RETRIES,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}

/** Data as the service has it now, even if that of the cache is fresh. It is not kept, because an export reads many pages. */
export async function fetchCurrent<T, K extends QueryKey>(
  client: QueryClient,
  query: FetchQueryOptions<T, Error, T, K>,
): Promise<T> {
  return await client.fetchQuery({ ...query, staleTime: 0, gcTime: 0 });
}
