import { Button } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ApiError, UnreachableError } from '../api/errors.ts';
import { errors } from '../texts/errors.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { isPartMissing } from './explain-error.ts';

/** Replaces a page that failed: it could not be loaded, belongs to another version, or has an error. */
export function PageCrash({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ApiError || error instanceof UnreachableError) {
    return (
      <ErrorState
        error={error}
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    );
  }
  const updated = isPartMissing(error);
  const words = updated ? errors.updated : errors.page;
  return (
    <div role="alert">
      <EmptyState
        heading="h1"
        icon={updated ? IconRefresh : IconAlertTriangle}
        title={words.title}
        description={words.advice}
        action={<Button onClick={() => window.location.reload()}>{errors.page.reload}</Button>}
      />
    </div>
  );
}
