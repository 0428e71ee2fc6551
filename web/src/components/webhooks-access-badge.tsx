import { Tooltip, VisuallyHidden } from '@mantine/core';
import { useMay, useSession } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';
import { webhooks } from '../texts/webhooks.ts';
import { StatusBadge } from './status-badge.tsx';

/** Says why webhooks cannot be changed here: the service has disabled it, or the role does not include it. */
export function WebhooksAccessBadge() {
  const { administrator, service } = useSession();
  const mayWrite = useMay()('webhooks:write');
  if (service.read_only) return <StatusBadge tone="warn">{webhooks.readOnly}</StatusBadge>;
  if (mayWrite) return null;
  const reason = navigation.viewOnly.reason(navigation.roles[administrator.role]);
  return (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <span>
        <StatusBadge tone="quiet">
          {navigation.viewOnly.badge}
          <VisuallyHidden>: {reason}</VisuallyHidden>
        </StatusBadge>
      </span>
    </Tooltip>
  );
}
