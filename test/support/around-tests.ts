import { after, before } from 'node:test';

/**
 * Opens parts before the tests of the surrounding `describe`, and releases them afterwards, the last one first. Parts that
 * were opened before one failed to open are released, too.
 */
export function aroundTests(open: (parts: AsyncDisposableStack) => Promise<void>): void {
  const parts = new AsyncDisposableStack();
  before(() => open(parts));
  after(() => parts.disposeAsync());
}
