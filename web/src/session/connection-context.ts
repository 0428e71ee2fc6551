import { createContext, use, useSyncExternalStore } from 'react';
import { Connection } from '../api/connection.ts';

export const ConnectionContext = createContext(new Connection());

/** Whether the service did not respond to the last request. */
export function useConnectionLost(): boolean {
  const connection = use(ConnectionContext);
  return useSyncExternalStore(connection.subscribe, connection.isLost);
}
