import type { Page, Request } from 'playwright-core';

/** A request of a page, and the transferred size of its response, including headers. */
export interface Transfer {
  method: string;
  /** The path and the query. */
  path: string;
  status: number;
  bytes: number;
}

/** Records every request of a page from now on. Call the result for those whose responses have ended. */
export function recordTransfers(page: Page): () => Promise<Transfer[]> {
  const finished: Request[] = [];
  page.on('requestfinished', (request) => void finished.push(request));
  return async () =>
    await Promise.all(
      finished.map(async (request) => {
        const { responseBodySize, responseHeadersSize } = await request.sizes();
        const { pathname, search } = new URL(request.url());
        return {
          method: request.method(),
          path: `${pathname}${search}`,
          status: (await request.response())?.status() ?? 0,
          bytes: responseBodySize + responseHeadersSize,
        };
      }),
    );
}

/** Counts the requests that a page sends from now on and that have no response yet. */
export function countOpenRequests(page: Page): () => number {
  const open = new Set<Request>();
  page.on('request', (request) => void open.add(request));
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  return () => open.size;
}
