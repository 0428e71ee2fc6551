/** Maximum count of a list that may be too long to count, and its maximum offset. */
export const MAX_COUNTED = 10_000;
