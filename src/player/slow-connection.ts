/** The speed of a slow connection, 40 kbit/s. A page first waits as long as its data needs at this speed. */
export const SLOW_BYTES_PER_MS = 5;
/** How many times slower a connection may be at most. A page that tries again waits up to so many times longer. */
export const MOST_SLOWNESS = 4;
/** The speed of the slowest connection, 10 kbit/s. The service accepts data that arrives at this speed. */
export const SLOWEST_BYTES_PER_MS = SLOW_BYTES_PER_MS / MOST_SLOWNESS;
