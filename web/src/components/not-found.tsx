import { IconMapOff } from '@tabler/icons-react';
import { errors } from '../texts/errors.ts';
import { EmptyState } from './empty-state.tsx';
import { ButtonLink } from './links.tsx';

/** The page for unknown addresses. */
export function NotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={IconMapOff}
      title={errors.notFound.title}
      description={errors.notFound.advice}
      action={
        <ButtonLink variant="default" to="/">
          {errors.notFound.home}
        </ButtonLink>
      }
    />
  );
}
