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

/** The port of the content origin: the one after `port`, unless the settings name another. */
export function contentPortOf({ port, content_port }: Pick<Settings, 'port' | 'content_port'>): number {
  return content_port ?? (port === 0 ? 0 : port + 1);
}

/**
 * Where learners' browsers reach the content origin, without a slash at its end; the host name may begin with
 * `{launch}.`. @param port the one that is listened on
 */
export function contentBaseUrlOf(
  { content_base_url, base_url, host }: Pick<Settings, 'content_base_url' | 'base_url' | 'host'>,
  port: number,
): string {
  if (content_base_url !== null) return content_base_url;
  if (base_url === null) return addressOf(host, port);
  const { protocol, hostname } = new URL(base_url);
  return `${protocol}//${hostname}:${port}`;
}
