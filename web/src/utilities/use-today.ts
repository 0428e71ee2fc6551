import { useSyncExternalStore } from 'react';
import { MINUTE_MS } from '../../../src/time/units.ts';

const CHECKED_EVERY_MS = MINUTE_MS;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all, because a list has hundreds of times. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    timer = setInterval(notify, CHECKED_EVERY_MS);
    document.addEventListener('visibilitychange', notify);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', notify);
  };
}

function notify(): void {
  for (const listener of listeners) listener();
}

function startOfToday(): number {
  return new Date().setHours(0, 0, 0, 0);
}

/** When the current day began in the viewer's time zone (epoch milliseconds). It changes at midnight, within a minute. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, startOfToday);
}
