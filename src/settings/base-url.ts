import { isIPv6 } from 'node:net';
import type { Settings } from './settings-table.ts';

/** A service that listens on every address can be reached at loopback from its own machine. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** The address of the service according to its settings, for links that commands write. */
export function baseUrlOf({ base_url, host, port }: Pick<Settings, 'base_url' | 'host' | 'port'>): string {
  return base_url ?? addressOf(host, port);
}

/** The URL, without a trailing slash, at which a browser on the same machine reaches a service on a host and port. */
export function addressOf(host: string, port: number): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  // In the form of URLs, because an address can be written in many ways.
  const spelled = URL.parse(`http://${name}`)?.hostname ?? name;
  return `http://${EVERY_ADDRESS.has(spelled) ? 'localhost' : name}:${port}`;
}

/** The port of the content origin: the one after `port`, unless the settings name another. */
export function contentPortOf({ port, content_port }: Pick<Settings, 'port' | 'content_port'>): number {
  return content_port ?? (port === 0 ? 0 : port + 1);
}

/**
 * Where learners' browsers reach the content origin, without a trailing slash. The host name may start with
 * `{launch}.`. @param port the port that the service listens on
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
