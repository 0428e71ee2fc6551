/** A page whose requests a browser sends. */
export type Sender = Pick<Window, 'fetch'>;

/** Browsers let the requests in flight that outlive a page have 64 KiB in total, and reject those that exceed it. */
const MOST_BYTES = 60_000;

/** By page, the bytes in flight that outlive it. */
const inFlight = new WeakMap<Sender, number>();

/** How many bytes a page can send now with requests that outlive it. */
export function roomOf(page: Sender): number {
  return MOST_BYTES - (inFlight.get(page) ?? 0);
}

/**
 * Sends a request that outlives its page if the page has room for it.
 * @param begin sends it. `keepalive` is whether it outlives the page
 */
export async function sendInRoom<T>(
  page: Sender,
  bytes: number,
  begin: (keepalive: boolean) => Promise<T>,
): Promise<T> {
  if (bytes > roomOf(page)) return await begin(false);
  return await sendCounted(page, bytes, () => begin(true));
}

/** Counts a request that a page sends itself in such a way: it takes room from others. @param begin sends it */
export async function sendCounted<T>(page: Sender, bytes: number, begin: () => Promise<T>): Promise<T> {
  count(page, bytes);
  try {
    return await begin();
  } finally {
    count(page, -bytes);
  }
}

function count(page: Sender, bytes: number): void {
  inFlight.set(page, (inFlight.get(page) ?? 0) + bytes);
}
