import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ContentType, usageQuery } from '../../api/content-usage.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { courses } from '../../texts/courses.ts';
import { isUsed, UsageList } from './changes/usage-list.tsx';

/** The users of an asset: other content, accounts and registrations. */
export function UsagePanel({ type, id }: { type: ContentType; id: number }) {
  const { data, error, refetch } = useQuery(usageQuery(type, id));
  return (
    <Panel title={courses.usage.title} description={courses.usage.description}>
      {data === undefined ? (
        error === null ? (
          <div aria-busy="true">
            <Skeleton height={12} my={6} width="40%" />
            <Skeleton height={12} my={6} width="70%" />
          </div>
        ) : (
          <ErrorState error={error} retry={() => void refetch()} />
        )
      ) : isUsed(data) ? (
        <UsageList usage={data} asset={{ type, id }} />
      ) : (
        courses.usage.nobody
      )}
    </Panel>
  );
}
