import type { Settings } from '../../src/settings/settings-table.ts';
import { atEnd } from './at-end.ts';
import { startTestService, type TestService } from './service.ts';

/** Services that tests have given back, by their settings. */
const free = new Map<string, TestService[]>();
atEnd(async () => {
  for (const service of [...free.values()].flat()) await service.stop();
});

/** A service that is not the test's to stop. */
export type LentService = Omit<TestService, 'stop'>;

/**
 * A running service that earlier tests may have used: it has no webhooks and no log lines, but maybe other rows. A start takes
 * a multiple of the time that is needed to empty one, above all on PostgreSQL. Disposing of it gives it back.
 */
export async function borrowTestService({
  settings = {},
}: {
  settings?: Partial<Settings>;
} = {}): Promise<Omit<TestService, 'stop'>> {
  const key = JSON.stringify(settings);
  const ofKind = free.get(key) ?? [];
  free.set(key, ofKind);
  const service = ofKind.pop() ?? (await startTestService({ settings }));
  service.logLines.length = 0;
  const { stop: _, ...lent } = service;
  return {
    ...lent,
    async [Symbol.asyncDispose]() {
      try {
        await removeWebhooks(service);
        ofKind.push(service);
      } catch (error) {
        await service.stop();
        throw error;
      }
    },
  };
}

/** Deletes all webhooks, so that the changes of the next test are sent to nobody else. */
export async function removeWebhooks({ api }: Pick<TestService, 'api'>): Promise<void> {
  for (;;) {
    const { body } = await api.get('/webhooks?limit=200');
    if (body.data.length === 0) return;
    for (const { id } of body.data) await api.delete(`/webhooks/${id}`);
  }
}
