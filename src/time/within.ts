/**
 * Waits for a promise, but not longer than a time in milliseconds. Then the result is that of `late`, which may throw, and that
 * of the promise has no effect.
 */
export async function within<T, Late>(ms: number, promise: Promise<T>, late: () => Late): Promise<T | Late> {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    return await Promise.race([promise, passed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
