import type { Scene } from './scene.ts';

/** What is happening now. */
export const DASHBOARD_SCENES: readonly Scene[] = [
  { name: 'dashboard', address: '/' },
  { name: 'dashboard-viewer', address: '/', as: 'viewer' },
  {
    name: 'dashboard-failing',
    address: '/',
    act: async (page) => {
      await page.route('**/ui/api/dashboard', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
];
