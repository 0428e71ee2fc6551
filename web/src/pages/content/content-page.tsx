import { PageHeader } from '../../components/page-header.tsx';
import { content } from '../../texts/content.ts';

export function ContentPage() {
  return <PageHeader title={content.title} />;
}
