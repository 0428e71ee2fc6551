import { describe, it } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startUi } from './support/ui.ts';

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
