import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { deliveries } from '../../../texts/deliveries.ts';

/** Shown instead of the rows of a history if there are none, or none that match. */
export function HistoryEmpty({
  filtered,
  hasOlder,
  onShowAll,
}: {
  filtered: boolean;
  /** True if older deliveries have not been searched yet. */
  hasOlder: boolean;
  onShowAll: () => void;
}) {
  if (!filtered) {
    return (
      <EmptyState
        icon={IconHistory}
        heading="h3"
        title={deliveries.empty.title}
        description={deliveries.empty.description}
      />
    );
  }
  return (
    <EmptyState
      icon={IconHistory}
      heading="h3"
      title={deliveries.noResults.title}
      description={hasOlder ? deliveries.noResults.hasOlder : deliveries.noResults.description}
      action={
        <Button variant="default" onClick={onShowAll}>
          {deliveries.noResults.action}
        </Button>
      }
    />
  );
}
