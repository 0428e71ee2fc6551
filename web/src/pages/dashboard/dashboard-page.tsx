import { PageHeader } from '../../components/page-header.tsx';
import { dashboard } from '../../texts/dashboard.ts';

export function DashboardPage() {
  return <PageHeader title={dashboard.title} />;
}
