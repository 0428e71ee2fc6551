import { isIPv6 } from 'node:net';
import type { Settings } from './settings-table.ts';

/** What listens on every address is reached at loopback from the machine itself. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** Where the service that has these settings is reached, as far as they tell: for links written beside it. */
export function baseUrlOf({ base_url, host, port }: Pick<Settings, 'base_url' | 'host' | 'port'>): string {
  return base_url ?? addressOf(host, port);
}

/** The URL, without a slash at its end, at which a browser on the same machine opens what listens on a host and port. */
export function addressOf(host: string, port: number): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  // As URLs write it: an address has many spellings.
  const spelled = URL.parse(`http://${name}`)?.hostname ?? name;
  return `http://${EVERY_ADDRESS.has(spelled) ? 'localhost' : name}:${port}`;
}
