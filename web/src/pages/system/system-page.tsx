import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api/health.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RereadProblem } from '../../components/reread-problem.tsx';
import { shared } from '../../texts/shared.ts';
import { system } from '../../texts/system.ts';
import { InstancePanel, StoragePanel } from './about-panels.tsx';
import { HealthPanel } from './health-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import styles from './system.module.css';

/** The environment of the service, its health, and its settings. */
export function SystemPage() {
  const { data, error, refetch } = useQuery(healthQuery);
  return (
    <>
      <PageHeader title={system.title} description={system.description} />
      {data === undefined && error !== null && (
        <div className={styles.frame}>
          <ErrorState error={error} retry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && (
        <div className={styles.panels} aria-busy="true">
          <VisuallyHidden role="status">{shared.loading}</VisuallyHidden>
          <Skeleton radius="lg" className={styles.healthSkeleton} />
          <div className={styles.halves}>
            <Skeleton radius="lg" className={styles.aboutSkeleton} />
            <Skeleton radius="lg" className={styles.aboutSkeleton} />
          </div>
        </div>
      )}
      {data !== undefined && (
        <div className={styles.panels}>
          <RereadProblem error={error} />
          <HealthPanel health={data} />
          <div className={styles.halves}>
            <InstancePanel health={data} />
            <StoragePanel health={data} />
          </div>
          <SettingsPanel settings={data.settings} />
        </div>
      )}
    </>
  );
}
