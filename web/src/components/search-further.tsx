import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { EmptyState } from './empty-state.tsx';

/** How a search that examines a list part by part can be continued. */
export interface FurtherSearch {
  /** Shown if that part has no results. */
  title: string;
  description: string;
  action: string;
  go: () => void;
}

/** Shown instead of the part of a list in which a search has found nothing. */
export function SearchFurther({ title, description, action, go }: FurtherSearch) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title={title}
      description={description}
      action={<Button onClick={go}>{action}</Button>}
    />
  );
}
