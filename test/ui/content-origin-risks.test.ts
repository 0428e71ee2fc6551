import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { startUi } from './support/ui.ts';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the System page on the content origin', () => {
  it('warns about a risky address for serving courses', async () => {
    const port = await freePort();
    const base_url = `http://127.0.0.1:${port}`;
    await using ui = await startUi({ settings: { port, content_port: await freePort(), base_url } });
    await using visit = await ui.visit('/administration/system');
    const checks = visit.page.getByRole('list', { name: 'Checks' });
    await checks
      .getByText(/^Courses are served from http:\/\/127\.0\.0\.1:\d+, which has the host name/)
      .waitFor();
    await checks.getByText(/^All launches share the origin http:\/\/127\.0\.0\.1:\d+/).waitFor();
    await visit.assertAccessible();
  });

  it('does not warn about a service that is reachable only from its own machine', async () => {
    await using ui = await startUi();
    await using visit = await ui.visit('/administration/system');
    const checks = visit.page.getByRole('list', { name: 'Checks' });
    await checks.getByText('Delivery', { exact: true }).waitFor();
    await checks.getByText('Content origin').waitFor({ state: 'detached' });
  });
});
