import type { Registration } from '../../../api/registrations.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { registrations } from '../../../texts/registrations.ts';
import { languageName } from '../../../utilities/language-name.ts';
import styles from '../registrations.module.css';

const texts = registrations.details;

/** The learner, the account, the course, and the dates of the registration. */
export function FactsPanel({
  registration: {
    registration_id: id,
    account_id,
    course_id,
    version_id,
    equivalent_id,
    language,
    learner_id,
    created_dt,
    launched_dt,
    completion_dt,
    updated_dt,
  },
  names,
  isUndecided,
}: {
  registration: Registration;
  /** `equivalent` is null if it was deleted. */
  names: { account: string; course: string; equivalent: string | null };
  /** Whether the learner can still get any course of the equivalent. */
  isUndecided: boolean;
}) {
  return (
    <Panel title={texts.facts}>
      <Facts
        items={[
          [
            texts.learner,
            <AnchorLink
              key="learner"
              className={styles.wrapped}
              title={texts.allOfLearner}
              to="/registrations"
              search={{ learner: learner_id }}
            >
              <bdi>{learner_id}</bdi>
            </AnchorLink>,
          ],
          equivalent_id === null
            ? null
            : [
                texts.equivalent,
                names.equivalent === null ? (
                  registrations.unknownEquivalent(equivalent_id)
                ) : (
                  <AssetLink key="equivalent" type="EQUIVALENT" id={equivalent_id}>
                    <bdi className={styles.wrapped}>{names.equivalent}</bdi>
                  </AssetLink>
                ),
              ],
          equivalent_id === null
            ? null
            : [texts.language, language === null ? texts.notChosen : languageWords(language)],
          [
            texts.course,
            isUndecided ? (
              texts.notChosen
            ) : (
              <AssetLink key="course" type="COURSE" id={course_id}>
                <bdi className={styles.wrapped}>{names.course}</bdi>
              </AssetLink>
            ),
          ],
          isUndecided ? null : [texts.version, version_id],
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

/** `German (de)`; the tag alone if it has no name. */
function languageWords(tag: string): string {
  const name = languageName(tag);
  return name === null ? tag : `${name} (${tag})`;
}
