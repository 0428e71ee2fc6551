import type { Unit } from './server.ts';

/** The destination that a unit requests when it terminates. */
export type Navigation =
  | { to: 'continue' | 'previous' | 'exit' | 'suspend' | 'abandon' }
  | { to: 'unit'; unit: string };

/** The navigation that a value of `adl.nav.request` requests in a course without sequencing; null for none. */
export function navigationOf(request: string): Navigation | null {
  const target = /^\{target=(.+)\}(?:choice|jump)$/.exec(request)?.[1];
  if (target !== undefined) return { to: 'unit', unit: target };
  switch (request) {
    case 'continue':
    case 'previous':
      return { to: request };
    case 'exit':
    case 'exitAll':
      return { to: 'exit' };
    case 'suspendAll':
      return { to: 'suspend' };
    case 'abandon':
    case 'abandonAll':
      return { to: 'abandon' };
    default:
      return null;
  }
}

/** The unit to which a navigation leads; null for the exit. */
export function unitOf(navigation: Navigation, units: readonly Unit[], from: Unit): Unit | null {
  const at = units.findIndex(({ id }) => id === from.id);
  if (navigation.to === 'continue') return units[at + 1] ?? null;
  if (navigation.to === 'previous') return units[Math.max(0, at - 1)] ?? null;
  if (navigation.to === 'unit') return units.find(({ id }) => id === navigation.unit) ?? from;
  return null;
}
