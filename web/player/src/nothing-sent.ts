/** Replaces the engine's own requests, which are lost when a page is closed. The page sends the data itself. */
export const NOTHING_SENT = {
  updateSettings() {},
  processHttpRequest: () => ({ result: 'true', errorCode: 0 }),
};
