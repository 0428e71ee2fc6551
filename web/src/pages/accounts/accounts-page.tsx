import { PageHeader } from '../../components/page-header.tsx';
import { accounts } from '../../texts/accounts.ts';

export function AccountsPage() {
  return <PageHeader title={accounts.title} />;
}
