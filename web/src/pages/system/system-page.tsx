import { PageHeader } from '../../components/page-header.tsx';
import { system } from '../../texts/system.ts';

export function SystemPage() {
  return <PageHeader title={system.title} />;
}
