/** Settings of the delivery. Times are in milliseconds. */
export interface DeliveryOptions {
  /** Maximum number of concurrent requests that are not slow. */
  concurrency: number;
  /** Deadline of a request. */
  timeoutMs: number;
  retryInitialMs: number;
  retryMaxMs: number;
  /** The interval between polls if nothing wakes the worker: a safety net. */
  pollIntervalMs: number;
  /** How long requests in flight may continue at shutdown. */
  shutdownTimeoutMs: number;
}
