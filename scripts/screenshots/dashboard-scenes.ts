import type { Scene } from './scene.ts';

/** Current activity. */
export const DASHBOARD_SCENES: readonly Scene[] = [
  { name: 'dashboard', address: '/' },
  { name: 'dashboard-table', address: '/?table=yes' },
  { name: 'dashboard-viewer', address: '/', as: 'viewer' },
  {
    name: 'dashboard-first-steps',
    address: '/',
    act: async (page) => {
      const none = { data: [], total: 0, limit: 1, offset: 0 };
      await page.route('**/ui/api/clients?*', (route) => route.fulfill({ json: none }));
      await page.route('**/ui/api/webhooks?*', (route) => route.fulfill({ json: none }));
      await page.evaluate('localStorage.clear()');
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
  {
    name: 'dashboard-long-reason',
    address: '/',
    act: async (page) => {
      const reason = `503 The course ${'was not found in the catalogue. '.repeat(6)}`;
      await page.route('**/ui/api/dashboard', async (route) => {
        const text = await (await route.fetch()).text();
        await route.fulfill({ body: text.replaceAll('503 Service Unavailable', reason) });
      });
      await page.reload({ waitUntil: 'networkidle' });
      await page.getByRole('region', { name: 'Blocked webhooks' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'dashboard-failing',
    address: '/',
    act: async (page) => {
      await page.route('**/ui/api/dashboard', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
];
