import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type LatestRegistration, latestRegistrationsQuery } from '../../api/dashboard.ts';
import { addressOf } from '../../components/asset-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Panel } from '../../components/panel.tsx';
import { RegistrationState } from '../../components/registrations/registration-state.tsx';
import { Time } from '../../components/time.tsx';
import { dashboard } from '../../texts/dashboard.ts';
import styles from './dashboard.module.css';

const texts = dashboard.learning;

/** The most recently changed registrations. */
export function LearningPanel({ total }: { total: number }) {
  const { data, error, refetch } = useQuery(latestRegistrationsQuery);
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        total > 0 && (
          <AnchorLink size="sm" to="/registrations" search={{ sort: 'updated', direction: 'desc' }}>
            {texts.all}
          </AnchorLink>
        )
      }
    >
      {data === undefined && error !== null && <ErrorState error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton className={styles.learningSkeleton} />}
      {data?.length === 0 && <p className={styles.none}>{texts.none}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className={styles.learning} aria-label={texts.title}>
          {data.map((registration) => (
            <Entry key={registration.registration_id} registration={registration} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Entry({ registration }: { registration: LatestRegistration }) {
  const {
    registration_id: id,
    learner_id: learner,
    course_id: courseId,
    course_name: course,
    equivalent_id: equivalentId,
    equivalent_name: equivalent,
    language,
    account_name: account,
  } = registration;
  // Until a language is chosen, the record has the first course of the equivalent. It may have been deleted since.
  const isOpen = equivalentId !== null && language === null && equivalent !== null;
  const subject = isOpen ? equivalent : course;
  const address = isOpen ? addressOf('EQUIVALENT', equivalentId) : addressOf('COURSE', courseId);
  return (
    <li className={styles.entry}>
      <div className={styles.entryWords}>
        <div className={styles.lines}>
          <AnchorLink
            inherit
            className={styles.strong}
            to="/registrations/$registrationId"
            params={{ registrationId: id }}
          >
            <bdi title={learner}>{learner}</bdi>
          </AnchorLink>
          {subject !== null && (
            <>
              {', '}
              <AnchorLink inherit {...address}>
                <bdi title={subject}>{subject}</bdi>
              </AnchorLink>
            </>
          )}
        </div>
        <div className={styles.second}>
          {account !== null && (
            <>
              <bdi>{account}</bdi> ·{' '}
            </>
          )}
          <Time value={registration.updated_dt} />
        </div>
      </div>
      <RegistrationState registration={registration} score={registration.score} />
    </li>
  );
}
