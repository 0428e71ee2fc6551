/**
 * Waits for work that cannot be ended, but no longer than until `signal` is aborted. The work then continues without effect here.
 * @throws what the work throws, and the reason of `signal`
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
