import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { PageLoading } from './page-loading.tsx';

/** Shown in place of data that has not been read yet: that it is loading, or why it could not be read. */
export function Unread({
  query: { error, refetch },
  placeholder = <PageLoading />,
}: {
  query: { error: Error | null; refetch: () => Promise<unknown> };
  placeholder?: ReactNode;
}) {
  return error === null ? placeholder : <ErrorState error={error} retry={() => void refetch()} />;
}
