import { isIPv6 } from 'node:net';
import type { Settings } from './settings-table.ts';

/** What listens on every address is reached at loopback from the machine itself. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Where the service that has these settings is reached, as far as they tell: for links written beside it. */
export function baseUrlOf({ base_url, host, port }: Pick<Settings, 'base_url' | 'host' | 'port'>): string {
  if (base_url !== null) return base_url;
  const name = EVERY_ADDRESS.has(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
