import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { shared } from '../texts/shared.ts';

/** Placeholder for a page that is loading. */
export function PageLoading() {
  return (
    <Stack gap="lg" aria-busy="true">
      <VisuallyHidden role="status">{shared.loading}</VisuallyHidden>
      <Skeleton height={28} width="min(16rem, 60%)" />
      <Skeleton height={16} width="min(32rem, 90%)" />
      <Skeleton height={240} />
    </Stack>
  );
}
