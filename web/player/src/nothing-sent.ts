/** For the engine's own way of sending, which loses data when a page is closed: the page sends by itself. */
export const NOTHING_SENT = {
  updateSettings() {},
  processHttpRequest: () => ({ result: 'true', errorCode: 0 }),
};
