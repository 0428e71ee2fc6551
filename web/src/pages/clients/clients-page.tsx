import { PageHeader } from '../../components/page-header.tsx';
import { clients } from '../../texts/clients.ts';

export function ClientsPage() {
  return <PageHeader title={clients.title} />;
}
