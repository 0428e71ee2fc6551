import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Registration } from '../../../api/registrations.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';

const texts = registrations.details;

/** Who learns what for whom, and when what happened. */
export function FactsPanel({
  registration: {
    registration_id: id,
    account_id,
    course_id,
    version_id,
    learner_id,
    created_dt,
    launched_dt,
    completion_dt,
    updated_dt,
  },
  names,
}: {
  registration: Registration;
  names: { account: string; course: string };
}) {
  return (
    <Panel title={texts.facts}>
      <Facts
        items={[
          [
            texts.learner,
            <Anchor
              key="learner"
              className={styles.wrapped}
              title={texts.allOfLearner}
              renderRoot={(props) => <Link {...props} to="/registrations" search={{ learner: learner_id }} />}
            >
              <bdi>{learner_id}</bdi>
            </Anchor>,
          ],
          [
            texts.course,
            <AssetLink key="course" type="COURSE" id={course_id}>
              <bdi className={styles.wrapped}>{names.course}</bdi>
            </AssetLink>,
          ],
          [texts.version, version_id],
          [
            texts.account,
            <AssetLink key="account" type="ACCOUNT" id={account_id}>
              <bdi className={styles.wrapped}>{names.account}</bdi>
            </AssetLink>,
          ],
          [texts.made, <Time key="made" value={created_dt} format="absolute" />],
          [
            texts.launched,
            <Time key="launched" value={launched_dt} format="absolute" fallback={texts.notLaunched} />,
          ],
          [
            texts.completed,
            <Time key="completed" value={completion_dt} format="absolute" fallback={texts.notCompleted} />,
          ],
          [texts.changed, <Time key="changed" value={updated_dt} />],
          [
            texts.id,
            <span key="id" className={styles.withCopy}>
              <code>{id}</code>
              <CopyButton value={id} label={texts.copyId} />
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}
