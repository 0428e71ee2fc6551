/** Maximum length of the search text of a list. */
export const MAX_SEARCH_LENGTH = 200;
/** Maximum count of a list that may be too long to count, and its maximum offset. */
export const MAX_COUNTED = 10_000;
