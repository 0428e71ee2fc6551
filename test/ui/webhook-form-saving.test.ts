import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const TARGET = 'https://crm.example.com/hook';

describe('saving the form of a webhook', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const create = () =>
    ui.service.api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: TARGET, enabled: false });
  const read = async (id: number) => (await ui.service.api.get(`/webhooks/${id}`)).body;

  it('asks before unsaved changes are lost, and stores none of them in the browser', async () => {
    // Without any webhook, the list is another page.
    await create();
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByLabel('Name').waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await visit.arrived(WEBHOOKS);
    await page.getByRole('link', { name: 'Create webhook' }).click();
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)> 🚒');
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByLabel('Secret').fill('never kept');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
    await leave.getByRole('button', { name: 'Stay' }).click();
    await leave.waitFor({ state: 'detached' });
    await visit.arrived(`${WEBHOOKS}/new`);
    assert.equal(await page.getByLabel('Name').inputValue(), '<img src=x onerror=alert(1)> 🚒');
    assert.doesNotMatch(
      await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'),
      /never kept|onerror/,
    );
    await page.goBack();
    await leave.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  it('reports someone else’s change, and lets one choose', async () => {
    const { id } = await create();
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    const theirs = (name: string) =>
      ui.service.api.put(`/webhooks/${id}`, { name, topic: 'ACCOUNT', target_url: TARGET, enabled: false });
    await page.getByLabel('Name').fill('Mine');
    await theirs('Theirs');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Someone else changed this webhook in the meantime').waitFor();
    assert.equal((await read(id)).name, 'Theirs');
    await page.getByRole('button', { name: 'Start over from the current values' }).click();
    await hasValue(page.getByLabel('Name'), 'Theirs');
    await page.getByLabel('Name').fill('Mine');
    await theirs('Theirs again');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Someone else changed this webhook in the meantime').waitFor();
    await page.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
    assert.equal((await read(id)).name, 'Mine');
  });

  it('saves behind a proxy that weakens the tags of compressed records, and says if it cannot save', async () => {
    const { id } = await create();
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const conditions: (string | undefined)[] = [];
    let isRejected = true;
    await page.route(`**/webhooks/${id}`, async (route) => {
      if (route.request().method() === 'PUT') {
        conditions.push(route.request().headers()['if-match']);
        if (isRejected)
          return await route.fulfill({ status: 412, contentType: 'application/json', body: '{}' });
      }
      const response = await route.fetch();
      const { etag = '' } = response.headers();
      await route.fulfill({ response, headers: { ...response.headers(), etag: `W/${etag}` } });
    });
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Name').fill('Compressed');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').getByText('Someone else changed this in the meantime').waitFor();
    isRejected = false;
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Compressed' }).waitFor();
    assert.equal((await read(id)).name, 'Compressed');
    assert.deepEqual(conditions, ['"1"', '"1"']);
  });

  it('creates nothing twice when a response was lost', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Once only');
    await page.getByLabel('Target URL').fill(TARGET);
    await page.getByRole('switch', { name: 'Active' }).uncheck();
    await page.getByRole('radio', { name: 'Courses' }).check();
    await page.route(
      '**/webhooks',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('The service is not responding', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'Once only' }).waitFor();
    const { body } = await ui.service.api.get('/ui/api/webhooks?search=Once%20only');
    assert.equal(body.total, 1);
  });
});
