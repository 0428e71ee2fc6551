import { Button } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ApiError, UnreachableError } from '../api/errors.ts';
import { errors } from '../texts/errors.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';

/** What a browser says when a part of the UI is no longer there: the service was updated since the page was opened. */
const PART_MISSING = /dynamically imported module|importing a module script failed|preload CSS/i;

/** In place of a page that failed: of one that could not be read, of one of another version, of one with a fault. */
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
  const updated = PART_MISSING.test(String(error));
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
