import { afterEach, beforeEach } from 'node:test';
import { removeWebhooks } from './lent-service.ts';
import type { Api } from './service.ts';
import { startTarget, type Target } from './target.ts';

/**
 * Starts a target before each test of a `describe`. After each, all webhooks are deleted and the target is closed.
 * @param apiOf the API of the service that sends to it
 * @param use gets the target of the next test
 */
export function targetOfEachTest(apiOf: () => Api, use: (target: Target) => void): void {
  let target: Target;
  beforeEach(async () => {
    target = await startTarget();
    use(target);
  });
  afterEach(async () => {
    await removeWebhooks({ api: apiOf() });
    await target.close();
  });
}
