import type { Scene } from './scene.ts';

const LOG = '/administration/audit-log';

/** The audit log, and pages as roles with fewer rights see them. */
export const AUDIT_SCENES: readonly Scene[] = [
  { name: 'audit-log', address: LOG },
  { name: 'audit-log-filtered', address: `${LOG}?object_type=WEBHOOK&action=MESSAGE_SKIPPED` },
  { name: 'audit-log-nothing', address: `${LOG}?user=nobody@example.com` },
  {
    name: 'audit-log-of-webhook',
    address: ({ data }) =>
      `/administration/integrations/webhooks/${data?.webhooks.get('Learning record store')}?tab=changes`,
  },
  { name: 'webhooks-viewer', address: '/administration/integrations/webhooks', as: 'viewer' },
];
