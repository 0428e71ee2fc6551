import { createContext, use, useSyncExternalStore } from 'react';
import { Connection } from '../api/connection.ts';

/** The connection to the service. Requests report to it whether they got a response. */
export const ConnectionContext = createContext(new Connection());

/** Whether the service did not respond to the last request. */
export function useConnectionLost(): boolean {
  const connection = use(ConnectionContext);
  return useSyncExternalStore(connection.subscribe, connection.isLost);
}
