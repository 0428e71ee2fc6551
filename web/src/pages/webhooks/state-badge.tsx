import { StatusBadge } from '../../components/status-badge.tsx';
import { webhooks } from '../../texts/webhooks.ts';

/** Whether a webhook is active, paused or inactive. */
export function StateBadge({ enabled, paused }: { enabled: boolean; paused: boolean }) {
  if (!enabled) return <StatusBadge tone="quiet">{webhooks.states.inactive}</StatusBadge>;
  return (
    <StatusBadge tone={paused ? 'warn' : 'good'}>
      {paused ? webhooks.states.paused : webhooks.states.active}
    </StatusBadge>
  );
}
