import { PageHeader } from '../../components/page-header.tsx';
import { registrations } from '../../texts/registrations.ts';

export function RegistrationsPage() {
  return <PageHeader title={registrations.title} />;
}
