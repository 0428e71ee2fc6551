import { storages } from './storages.ts';

/**
 * Stores in the browser that unsent work of a registration is lost, until a page has shown this. On a bad connection,
 * the page that detects the loss may not open.
 */

/** Remembers that work is lost that a page has said will be saved. */
export function noteLoss(registration: string): void {
  for (const storage of storages()) {
    try {
      storage.setItem(keyOf(registration), '1');
      return;
    } catch {
      // It is full. The next one survives at least a reload.
    }
  }
}

/** Whether such work is lost and no page has shown it. */
export function hasLoss(registration: string): boolean {
  return storages().some((storage) => storage.getItem(keyOf(registration)) !== null);
}

/** A page has shown it. */
export function forgetLoss(registration: string): void {
  for (const storage of storages()) storage.removeItem(keyOf(registration));
}

function keyOf(registration: string): string {
  return `coursewire-lost ${registration}`;
}
