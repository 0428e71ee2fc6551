import { ApiClient } from './api-client.ts';
import { type BenchRun, withService } from './bench-run.ts';
import { closedLoop } from './load.ts';
import { RAW_CONNECTIONS } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';

/** Measures the number of access tokens per second that the token endpoint grants. */
export async function measureTokens(run: BenchRun, folder: PreparedFolder): Promise<number> {
  return await withService(run, { scenario: 'tokens', folder }, async (service) => {
    await using api = new ApiClient(await service.ready(), folder);
    const perSecond = await closedLoop(() => api.requestToken(), {
      connections: RAW_CONNECTIONS,
      warmUpSeconds: run.plan.apiWarmUpSeconds,
      seconds: run.plan.apiSeconds,
    });
    run.report(`tokens: ${Math.round(perSecond)}/s`);
    return perSecond;
  });
}
