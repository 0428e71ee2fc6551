/** A window whose page sends requests. Its document is null once its frame is removed. */
export type Sender = Pick<Window, 'fetch'> & { readonly document: Document | null };

/** Browsers let the requests in flight that outlive a page have 64 KiB in total, and reject those that exceed it. */
const MOST_BYTES = 60_000;
/** A beacon gets no response. By then, it has arrived on almost every connection. */
const BEACON_MS = 5_000;

/**
 * By page, the bytes in flight that outlive it. A frame keeps its window while it goes from page to page. Each page has
 * room of its own, and what a page has sent gets no response once the page is gone.
 */
const inFlight = new WeakMap<Document | Sender, number>();

/** How many bytes a page can send now with requests that outlive it. */
export function roomOf(page: Sender): number {
  return MOST_BYTES - (inFlight.get(keyOf(page)) ?? 0);
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

/**
 * Counts a request that a page itself sends so that it outlives the page: it takes room from others.
 * @param begin sends it
 */
export async function sendCounted<T>(page: Sender, bytes: number, begin: () => Promise<T>): Promise<T> {
  const key = keyOf(page);
  count(key, bytes);
  try {
    return await begin();
  } finally {
    // The window may show another page by now.
    count(key, -bytes);
  }
}

/** Counts a beacon that a page has sent. */
export function countBeacon(page: Sender, bytes: number): void {
  void sendCounted(page, bytes, () => new Promise((resolve) => setTimeout(resolve, BEACON_MS)));
}

function keyOf(page: Sender): Document | Sender {
  return page.document ?? page;
}

function count(key: Document | Sender, bytes: number): void {
  inFlight.set(key, (inFlight.get(key) ?? 0) + bytes);
}
