import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ContentType, usageQuery } from '../../api/content-usage.ts';
import { Panel } from '../../components/panel.tsx';
import { Unread } from '../../components/unread.tsx';
import { courses } from '../../texts/courses.ts';
import { isUsed, UsageList } from './changes/usage-list.tsx';

/** The users of an asset: other content, accounts and registrations. */
export function UsagePanel({ type, id }: { type: ContentType; id: number }) {
  const usage = useQuery(usageQuery(type, id));
  const { data } = usage;
  return (
    <Panel title={courses.usage.title} description={courses.usage.description}>
      {data === undefined ? (
        <Unread
          query={usage}
          placeholder={
            <div aria-busy="true">
              <Skeleton height={12} my={6} width="40%" />
              <Skeleton height={12} my={6} width="70%" />
            </div>
          }
        />
      ) : isUsed(data) ? (
        <UsageList usage={data} asset={{ type, id }} />
      ) : (
        courses.usage.nobody
      )}
    </Panel>
  );
}
