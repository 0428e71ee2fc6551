import { readFileSync } from 'node:fs';
import { maxDeliveries } from './delivery/delivery-slots.ts';
import type { Settings } from './settings/settings-table.ts';

/** For the database, uploads, logs and everything else besides deliveries. */
const OTHER_DESCRIPTORS = 512;
/** A connection to `port` and one to `content_port`, each with the file that it downloads. */
const DESCRIPTORS_OF_PORTS = 4;

/** How many connections each port accepts, and a warning if these are fewer than allowed, or leave too few descriptors. */
export interface ConnectionPlan {
  limit: number;
  /** Says what to do. Null if the process may open enough files. */
  warning: string | null;
}

/**
 * Plans for connections, deliveries and everything else to fit into what the process may open. Connections get at least
 * half of it.
 */
export function planConnections(
  settings: Pick<Settings, 'max_connections' | 'delivery_concurrency'>,
  descriptors = maxDescriptors(),
): ConnectionPlan {
  const { max_connections: wanted, delivery_concurrency: concurrency } = settings;
  const others = maxDeliveries(concurrency) + OTHER_DESCRIPTORS;
  const needed = wanted * DESCRIPTORS_OF_PORTS + others;
  if (needed <= descriptors) return { limit: wanted, warning: null };
  const affordable = Math.floor((descriptors - Math.min(others, descriptors / 2)) / DESCRIPTORS_OF_PORTS);
  const limit = Math.min(wanted, affordable);
  const warning =
    `max_connections is ${wanted} and delivery_concurrency is ${concurrency}, which needs up to ${needed} files and connections, ` +
    `but this process may only have ${descriptors} open: port and content_port accept ${limit} connections each. ` +
    'Raise the limit (LimitNOFILE of systemd, ulimit -n), or lower max_connections or delivery_concurrency';
  return { limit, warning };
}

/** How many files the process may open. Node has raised that to the hard limit. Infinite if the system does not say it. */
function maxDescriptors(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
