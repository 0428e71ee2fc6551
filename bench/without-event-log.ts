import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Loaded before the service, it removes the event log: no row is written, and ids come from a counter. Only for
 * measuring what the log costs.
 */

const RECORDER = replaced('event-recorder.ts');
const PUBLISHER = replaced('webhook-publisher.ts');

/** The URL of a module to replace. A module that has moved would otherwise stay, and the log would seem to cost nothing. */
function replaced(name: string): string {
  const url = new URL(`../src/webhooks/events/${name}`, import.meta.url);
  if (!existsSync(url)) throw new Error(`${url.href} does not exist`);
  return url.href;
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url === RECORDER) return { ...loaded, source: 'export async function recordEvents() {}' };
    if (url !== PUBLISHER) return loaded;
    const source = String(loaded.source);
    const called = 'nextEventIds(tx, events.length)';
    if (!source.includes(called)) throw new Error(`${url} no longer calls ${called}`);
    return {
      ...loaded,
      source: source.replace(
        called,
        'events.map(() => (globalThis.eventId = (globalThis.eventId ?? 0) + 1))',
      ),
    };
  },
});
