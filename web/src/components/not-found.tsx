import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { errors } from '../texts/errors.ts';
import { EmptyState } from './empty-state.tsx';

/** The page for unknown addresses. */
export function NotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={IconMapOff}
      title={errors.notFound.title}
      description={errors.notFound.advice}
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          {errors.notFound.home}
        </Button>
      }
    />
  );
}
