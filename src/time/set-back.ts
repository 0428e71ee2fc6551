import { MINUTE_MS } from './units.ts';

/**
 * A moment that is further in the future than this was recorded before the clock was set back. The clocks of instances
 * differ by less.
 */
export const SET_BACK_MS = MINUTE_MS;
