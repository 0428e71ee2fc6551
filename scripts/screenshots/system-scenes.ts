import type { Scene } from './scene.ts';

/** The state of the service. */
export const SYSTEM_SCENES: readonly Scene[] = [
  { name: 'system', address: '/administration/system' },
  { name: 'system-nothing', address: '/administration/system?search=nothing+of+that+name' },
  {
    name: 'system-wrong',
    address: '/administration/system',
    act: async (page) => {
      await page.route('**/ui/api/health', async (route) => {
        const response = await route.fetch();
        const health = await response.json();
        await route.fulfill({
          response,
          json: {
            ...health,
            checks: { ...health.checks, content: 'failed' },
            queue: { ...health.queue, state: 'polling_disabled' },
          },
        });
      });
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
];
