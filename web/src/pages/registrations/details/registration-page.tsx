import { PageHeader } from '../../../components/page-header.tsx';
import { registrations } from '../../../texts/registrations.ts';

export function RegistrationPage() {
  return <PageHeader title={registrations.one} />;
}
