import { Api, createClient, requestToken } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';

/** The service in its own process, with a client of its API. The next start on its folder is in this process. */
export async function startWithApi(
  settings: Parameters<typeof startProcess>[0],
  options: Parameters<typeof startProcess>[1] = {},
): Promise<{ program: ServingProcess; api: Api; readyAfterMs: number }> {
  const begun = performance.now();
  const program = await startProcess(settings, options);
  const readyAfterMs = Math.round(performance.now() - begun);
  const { clientId, clientSecret } = await createClient(settings.data_dir);
  const api = new Api(program.url, await requestToken(program.url, clientId, clientSecret));
  return { program, api, readyAfterMs };
}
