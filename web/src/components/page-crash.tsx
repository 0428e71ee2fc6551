import { Button } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { ApiError, UnreachableError } from '../api/errors.ts';
import { LIVE_MS } from '../api/polling.ts';
import { isReachable } from '../navigation/page-code.ts';
import { errors } from '../texts/errors.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { isPartMissing } from './explain-error.ts';

/** Replaces a page that failed: it could not be loaded, belongs to another version, or has an error. */
export function PageCrash({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  useWhenReachable(error instanceof UnreachableError, retry);
  if (error instanceof ApiError || error instanceof UnreachableError) {
    return <ErrorState error={error} retry={retry} />;
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

/** Acts as soon as the service responds, if it is awaited. Nothing else on the page need ask for it. */
function useWhenReachable(isAwaited: boolean, act: () => void): void {
  const onReachable = useEffectEvent(act);
  useEffect(() => {
    if (!isAwaited) return;
    let isShown = true;
    const timer = setInterval(async () => {
      if ((await isReachable()) && isShown) onReachable();
    }, LIVE_MS);
    return () => {
      isShown = false;
      clearInterval(timer);
    };
  }, [isAwaited]);
}
