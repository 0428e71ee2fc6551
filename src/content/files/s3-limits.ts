/** Limits of every request to S3. */

/** Maximum duration of a request that does not upload a file. */
export const REQUEST_DEADLINE_MS = 30_000;
/** How often a request is sent if it fails. */
export const MAX_ATTEMPTS = 3;
