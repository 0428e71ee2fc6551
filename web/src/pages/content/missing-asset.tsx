import type { ComponentType } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { courses } from '../../texts/courses.ts';

/** Shown for an asset that was deleted or never existed. */
export function MissingAsset({ icon }: { icon: ComponentType<{ size?: number; stroke?: number }> }) {
  return (
    <EmptyState
      heading="h1"
      icon={icon}
      title={courses.gone.title}
      description={courses.gone.description}
      action={
        <ButtonLink variant="default" to="/content">
          {courses.gone.action}
        </ButtonLink>
      }
    />
  );
}
