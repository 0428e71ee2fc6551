import type { Scene } from './scene.ts';

const EVENTS = '/administration/integrations/events';

/** The event log. */
export const EVENT_SCENES: readonly Scene[] = [
  { name: 'events', address: EVENTS },
  { name: 'events-searched', address: `${EVENTS}?learner_id=nobody` },
  {
    name: 'events-one',
    address: EVENTS,
    act: async (page) => {
      await page
        .getByRole('link', { name: /Registration launched, event/ })
        .first()
        .click();
      await page.getByRole('list', { name: 'Other webhooks' }).waitFor();
    },
  },
];
