import { SECOND_MS } from '../../src/time/units.ts';
import { changedConstants } from '../support/changed-constants.ts';

/** The `delivery_timeout` of services in proofs. */
export const DELIVERY_TIMEOUT_SECONDS = 2;
/** A lease lasts this much longer than the longest request, as documented. */
const DOCUMENTED_MARGIN_MS = 30_000;
/** How much longer than the longest request a lease lasts. A short run waits less. */
export const LEASE_MARGIN_MS = Number(process.env.PROOF_LEASE_MARGIN_MS ?? DOCUMENTED_MARGIN_MS);

/** After this time, others deliver the messages that a lost instance had in flight. */
export const LEASE_MS = DELIVERY_TIMEOUT_SECONDS * SECOND_MS + LEASE_MARGIN_MS;

/** The margin is not a setting. */
const SHORT_MARGIN = changedConstants({
  'src/delivery/delivery-worker.ts': { VISIBILITY_MARGIN_MS: LEASE_MARGIN_MS },
});

/** Sources of modules that a service runs before the program, so that its leases last for {@link LEASE_MARGIN_MS} more than `delivery_timeout`. */
export const LEASE_PRELOAD: readonly string[] =
  LEASE_MARGIN_MS === DOCUMENTED_MARGIN_MS ? [] : [SHORT_MARGIN];
