import { ApiClient } from './api-client.ts';
import { type BenchRun, withService } from './bench-run.ts';
import { measureBesideFastify } from './beside-fastify.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { ApiResult } from './results.ts';

/** Measures the number of access tokens per second that the token endpoint grants. */
export async function measureTokens(run: BenchRun, folder: PreparedFolder): Promise<ApiResult> {
  return await withService(run, { scenario: 'tokens', folder }, async (service) => {
    await using api = new ApiClient(await service.ready(), folder);
    await api.authorize();
    const request = (side: ApiClient) => side.requestToken();
    const tokens = await measureBesideFastify(run, { service, api, folder, request });
    run.report(
      `tokens: ${Math.round(tokens.per_second)}/s, ${tokens.share_of_fastify.toFixed(3)} of a bare Fastify route`,
    );
    return tokens;
  });
}
