import type { PageResponse, Unit } from './server.ts';

/** The destination that a unit requests when it terminates. */
export type Navigation = { to: 'continue' | 'previous' | 'contents' | 'exit' } | { to: 'unit'; unit: string };

/** The activity that a value of `adl.nav.request` chooses; undefined if it chooses none. */
export function targetOf(request: string): string | undefined {
  return /^\{target=(.+)\}(?:choice|jump)$/.exec(request)?.[1];
}

/** The navigation that a value of `adl.nav.request` requests in a course without sequencing; null for none. */
export function navigationOf(request: string): Navigation | null {
  const target = targetOf(request);
  if (target !== undefined) return { to: 'unit', unit: target };
  switch (request) {
    case 'continue':
    case 'previous':
      return { to: request };
    case 'exit':
    case 'abandon':
      return { to: 'contents' };
    case 'exitAll':
    case 'suspendAll':
    case 'abandonAll':
      return { to: 'exit' };
    default:
      return null;
  }
}

/** The id of the unit with which a page begins: the last one, if it is open. Null if no unit is. */
export function firstUnitOf({ units, lastUnit }: Pick<PageResponse, 'units' | 'lastUnit'>): string | null {
  const last = units.find(({ id }) => id === lastUnit);
  return (last?.isOpen ? last : units.find(({ isOpen }) => isOpen))?.id ?? null;
}

/** The destination of a navigation; null if there is none. */
export function unitOf(navigation: Navigation, units: readonly Unit[], from: Unit): Unit | null {
  const at = units.findIndex(({ id }) => id === from.id);
  if (navigation.to === 'continue') return units[at + 1] ?? null;
  if (navigation.to === 'previous') return units[Math.max(0, at - 1)] ?? null;
  if (navigation.to === 'unit') return units.find(({ id }) => id === navigation.unit) ?? from;
  return null;
}
