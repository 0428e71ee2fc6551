import { StatusBadge } from '../../components/status-badge.tsx';
import { accounts } from '../../texts/accounts.ts';

/** Whether an account is active. */
export function AccountState({ enabled }: { enabled: boolean }) {
  return enabled ? (
    <StatusBadge tone="good">{accounts.states.active}</StatusBadge>
  ) : (
    <StatusBadge tone="quiet">{accounts.states.inactive}</StatusBadge>
  );
}
