/** The speed of a slow connection, 40 kbit/s. Data that a page sends may take as long as it needs at this speed. */
export const SLOW_BYTES_PER_MS = 5;
