import { DatabaseUnavailableError } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import type { ApiClient, ClientService } from './client-service.ts';

/** Records the use of a client. It is only informational: failing to record it must not fail the request. */
export async function noteClientUse(
  client: ApiClient,
  { clients, log }: { clients: Pick<ClientService, 'noteUse'>; log: Logger },
): Promise<void> {
  try {
    await clients.noteUse(client);
  } catch (error) {
    // An outage of the database is logged once, by the database watch.
    if (error instanceof DatabaseUnavailableError) return;
    log.warn('the last use of an API client could not be recorded', { client_id: client.clientId, error });
  }
}
