import { Button } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { ApiError, isUnavailable, UnreachableError } from '../api/errors.ts';
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
  useWhenReachable(error instanceof UnreachableError || isUnavailable(error), retry);
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

/** Calls `act` once the service responds, if it is awaited. It asks by itself, because nothing else on the page may be polling. */
function useWhenReachable(isAwaited: boolean, act: () => void): void {
  const onReachable = useEffectEvent(act);
  useEffect(() => {
    if (!isAwaited) return;
    let isShown = true;
    let timer: ReturnType<typeof setTimeout>;
    const askAgain = () => {
      timer = setTimeout(async () => {
        if ((await isReachable()) && isShown) onReachable();
        if (isShown) askAgain();
      }, LIVE_MS);
    };
    askAgain();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [isAwaited]);
}
