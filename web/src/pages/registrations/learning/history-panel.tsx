import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SECOND_MS } from '../../../../../src/time/units.ts';
import {
  type Attempt,
  type AttemptUnit,
  attemptsOf,
  type RegistrationWithUnits,
  runtimeQuery,
} from '../../../api/registrations.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { formatScore, formatSeconds } from '../../../components/registrations/results.ts';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { Unread } from '../../../components/unread.tsx';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';
import { type Interaction, interactionsOf, isCorrect } from './interactions.ts';

const texts = registrations.history;

/** The attempts, latest first: their events, the learner's answers, and the data that the course reported. */
export function HistoryPanel({ registration }: { registration: RegistrationWithUnits }) {
  const read = useInfiniteQuery(runtimeQuery(registration.registration_id));
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = read;
  const titles = new Map(registration.units.map(({ unit_id, title }) => [unit_id, title]));
  const attempts = attemptsOf(data?.pages ?? []);
  return (
    <Panel title={texts.title} description={texts.description}>
      {data === undefined ? (
        <Unread query={read} />
      ) : attempts.length === 0 ? (
        <p className={styles.note}>{texts.empty}</p>
      ) : (
        <>
          {attempts.map((attempt, index) => (
            <AttemptHistory key={attempt.attempt} attempt={attempt} titles={titles} isLatest={index === 0} />
          ))}
          {isFetchNextPageError && <FormProblem error={error} />}
          {hasNextPage && (
            <BusyButton
              className={styles.more ?? ''}
              variant="default"
              isBusy={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {texts.more}
            </BusyButton>
          )}
        </>
      )}
    </Panel>
  );
}

/** An attempt, opened at first if it is the latest. A newer one does not close it while someone reads it. */
function AttemptHistory({
  attempt,
  titles,
  isLatest,
}: {
  attempt: Attempt;
  titles: ReadonlyMap<string, string>;
  isLatest: boolean;
}) {
  const [isOpenAtFirst] = useState(isLatest);
  return (
    <details className={styles.attempt} open={isOpenAtFirst}>
      <summary>
        {texts.attempt(attempt.attempt)}
        <span className={styles.note}>{texts.version(attempt.version_id)}</span>
      </summary>
      <Timeline attempt={attempt} titles={titles} />
      {attempt.units.map((unit) => (
        <UnitHistory key={unit.unit_id} unit={unit} title={titles.get(unit.unit_id) ?? unit.unit_id} />
      ))}
    </details>
  );
}

/** The events of an attempt in order. */
function Timeline({ attempt, titles }: { attempt: Attempt; titles: ReadonlyMap<string, string> }) {
  const moments = [
    { at: attempt.started_dt, what: texts.began, unit: null },
    ...attempt.units.flatMap((record) => {
      const unit = { id: record.unit_id, title: titles.get(record.unit_id) ?? record.unit_id };
      return [
        { at: record.opened_dt, what: texts.opened, unit },
        ...(record.completion_dt === null ? [] : [{ at: record.completion_dt, what: texts.completed, unit }]),
        ...(record.updated_dt === record.opened_dt || record.updated_dt === record.completion_dt
          ? []
          : [{ at: record.updated_dt, what: texts.lastReport, unit }]),
      ];
    }),
    ...(attempt.ended_dt === null ? [] : [{ at: attempt.ended_dt, what: texts.reset, unit: null }]),
  ].toSorted((one, other) => one.at.localeCompare(other.at));
  return (
    <ol className={styles.timeline} aria-label={texts.timeline(attempt.attempt)}>
      {moments.map(({ at, what, unit }) => (
        <li key={`${what} ${unit?.id}`}>
          <Time value={at} format="absolute" />
          <span>
            {what}
            {unit !== null && (
              <>
                : <bdi>{unit.title}</bdi>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function UnitHistory({ unit, title }: { unit: AttemptUnit; title: string }) {
  const interactions = interactionsOf(unit.data);
  const raw = JSON.stringify(unit.data, null, 2);
  return (
    <div className={styles.unit}>
      <h3 className={styles.unitTitle}>
        <bdi>{title}</bdi>
      </h3>
      <p className={styles.note}>
        {registrations.status.inWords(
          registrations.status.completions[unit.completion],
          registrations.status.successes[unit.success],
          formatScore(unit.score),
          formatSeconds(Math.floor(unit.duration_ms / SECOND_MS)),
        )}
      </p>
      {interactions.length > 0 && <Interactions interactions={interactions} unit={title} />}
      <details className={styles.raw}>
        <summary>{texts.raw}</summary>
        {unit.data === null ? (
          <p className={styles.note}>{texts.noData}</p>
        ) : (
          <div className={styles.rawBox}>
            <CopyButton value={raw} label={texts.copyRaw(title)} />
            <ScrollBox label={texts.rawOf(title)} className={styles.rawText}>
              <pre>{raw}</pre>
            </ScrollBox>
          </div>
        )}
      </details>
    </div>
  );
}

function Interactions({ interactions, unit }: { interactions: readonly Interaction[]; unit: string }) {
  return (
    <ol className={styles.interactions} aria-label={texts.interactionsOf(unit)}>
      {interactions.map((interaction, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a course may use an id twice; the order never changes.
        <li key={index}>
          <div className={styles.question}>
            <bdi className={styles.wrapped}>{interaction.description || interaction.id || texts.unnamed}</bdi>
            <Verdict interaction={interaction} />
          </div>
          <dl>
            <dt>{texts.answer}</dt>
            <dd>
              <bdi className={styles.wrapped}>{interaction.response || texts.noAnswer}</bdi>
            </dd>
            {interaction.correct.length > 0 && (
              <>
                <dt>{texts.correct}</dt>
                <dd>
                  <bdi className={styles.wrapped}>{interaction.correct.join(texts.or)}</bdi>
                </dd>
              </>
            )}
          </dl>
        </li>
      ))}
    </ol>
  );
}

function Verdict({ interaction }: { interaction: Interaction }) {
  const right = isCorrect(interaction);
  if (right === null) {
    return interaction.result === '' ? null : <StatusBadge tone="quiet">{interaction.result}</StatusBadge>;
  }
  return <StatusBadge tone={right ? 'good' : 'bad'}>{right ? texts.right : texts.wrong}</StatusBadge>;
}
