/** The `delivery_timeout` of services in proofs. */
export const DELIVERY_TIMEOUT_SECONDS = 2;
/** A lease lasts this much longer than the longest request, as documented. */
const DOCUMENTED_MARGIN_MS = 30_000;
/** A short run does not wait for so long. */
const MARGIN_MS = Number(process.env.PROOF_LEASE_MARGIN_MS ?? DOCUMENTED_MARGIN_MS);
const MS_PER_SECOND = 1_000;

/** After this time, others deliver the messages that a lost instance had in flight. */
export const LEASE_MS = DELIVERY_TIMEOUT_SECONDS * MS_PER_SECOND + MARGIN_MS;

/** The margin is not a setting. This changes it in the service, and nothing else of the program. */
const SHORT_MARGIN = `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/delivery/delivery-worker.ts')) return loaded;
    const source = String(loaded.source);
    const documented = 'VISIBILITY_MARGIN_MS = 30_000';
    if (!source.includes(documented)) throw new Error('the margin of leases is not where it was');
    return { ...loaded, source: source.replace(documented, 'VISIBILITY_MARGIN_MS = ${MARGIN_MS}') };
  },
});`;

/** Sources of modules that a service runs before the program, so that its leases last for {@link LEASE_MS}. */
export const LEASE_PRELOAD: readonly string[] = MARGIN_MS === DOCUMENTED_MARGIN_MS ? [] : [SHORT_MARGIN];
