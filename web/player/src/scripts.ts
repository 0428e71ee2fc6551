import type { Sequencer } from './sequencer.ts';
import type { PageResponse } from './server.ts';

/** A script of the player could not be loaded. Browsers may remember that until the page is loaded again. */
export class LostScript extends Error {
  override name = 'LostScript';
}

/**
 * Loads a script that not every course needs.
 * @param load imports it
 * @throws {LostScript}
 */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new LostScript('a script of the player could not be loaded', { cause });
  }
}

/**
 * Loads what sequences the units of a page; null if a table of contents is enough.
 * @throws {LostScript}
 */
export async function loadSequencer({ sequencing, mode }: PageResponse): Promise<Sequencer | null> {
  if (sequencing === null) return null;
  const { Sequencer } = await loadScript(() => import('./sequencer.ts'));
  return new Sequencer(sequencing.tree, sequencing.state, mode !== 'normal');
}
