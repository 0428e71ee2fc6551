import { Skeleton, VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { dashboardQuery } from '../../api/dashboard.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RereadProblem } from '../../components/reread-problem.tsx';
import { useMay } from '../../session/session-context.ts';
import { dashboard } from '../../texts/dashboard.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { shared } from '../../texts/shared.ts';
import { ActivityPanel } from './activity-panel.tsx';
import { BlockedPanel } from './blocked-panel.tsx';
import { ContentPanel } from './content-panel.tsx';
import styles from './dashboard.module.css';
import { FailingPanel } from './failing-panel.tsx';
import { FirstStepsPanel } from './first-steps/first-steps-panel.tsx';
import { useFirstSteps } from './first-steps/use-first-steps.ts';
import { LearningPanel } from './learning-panel.tsx';
import { OverviewTiles } from './overview-tiles.tsx';
import { PausedPanel } from './paused-panel.tsx';

/** Live data of the webhooks, then content and learning: the parts that the signed-in person may see. */
export function DashboardPage() {
  const may = useMay();
  const mayReadWebhooks = may('webhooks:read');
  const { data: read, error, refetch } = useQuery(dashboardQuery);
  const data = read?.record;
  const firstSteps = useFirstSteps(data?.content?.courses);
  return (
    <>
      <PageHeader
        title={dashboard.title}
        description={mayReadWebhooks ? dashboard.description : dashboard.viewerDescription}
        actions={
          may('webhooks:write') && (
            <ButtonLink
              variant="default"
              leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
              to="/administration/integrations/webhooks/new"
            >
              {pageTitles.newWebhook}
            </ButtonLink>
          )
        }
      />
      {data === undefined && error !== null && (
        <div className={styles.frame}>
          <ErrorState error={error} retry={() => void refetch()} />
        </div>
      )}
      {error === null && (data === undefined || firstSteps === undefined) && (
        <Placeholder tiles={mayReadWebhooks} />
      )}
      {data !== undefined && (firstSteps !== undefined || error !== null) && (
        <div className={styles.panels}>
          <RereadProblem error={error} />
          {firstSteps && <FirstStepsPanel steps={firstSteps} />}
          {data.delivery !== null && (
            <>
              <OverviewTiles delivery={data.delivery} />
              <ActivityPanel minutes={data.delivery.minutes} />
              <BlockedPanel
                lines={data.delivery.blocked_lines}
                total={data.delivery.lines_blocked}
                clockAhead={read?.clockAhead ?? 0}
              />
              <PausedPanel delivery={data.delivery} />
              <FailingPanel
                webhooks={data.delivery.failing_webhooks}
                total={data.delivery.webhooks_failing}
              />
            </>
          )}
          {data.content !== null && (
            <div className={styles.halves}>
              <LearningPanel total={data.content.registrations} />
              <ContentPanel counts={data.content} />
            </div>
          )}
        </div>
      )}
    </>
  );
}

function Placeholder({ tiles }: { tiles: boolean }) {
  return (
    <div className={styles.panels} aria-busy="true">
      <VisuallyHidden role="status">{shared.loading}</VisuallyHidden>
      {tiles && (
        <>
          <div className={styles.tiles}>
            {['waiting', 'blocked', 'dead', 'system'].map((tile) => (
              <Skeleton key={tile} radius="lg" className={styles.tileSkeleton} />
            ))}
          </div>
          <Skeleton radius="lg" className={styles.activitySkeleton} />
        </>
      )}
      <Skeleton radius="lg" className={styles.panelSkeleton} />
    </div>
  );
}
