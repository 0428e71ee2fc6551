import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { LearningStandard } from '../../../api/courses.ts';
import { type Statement, statementsQuery } from '../../../api/registrations.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { Unread } from '../../../components/unread.tsx';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';

const texts = registrations.statements;

/** Courses of other standards send no statements. */
const WITH_STATEMENTS: readonly LearningStandard[] = ['XAPI', 'CMI5', 'UNKNOWN'];

/**
 * The xAPI statements of a registration as sentences, oldest first; each opens to show the statement itself. Nothing if
 * there are none and the standard of the course has none.
 */
export function StatementsPanel({
  registrationId,
  standard,
}: {
  registrationId: string;
  /** Of the course; null if it is not known. */
  standard: LearningStandard | null;
}) {
  const read = useInfiniteQuery(statementsQuery(registrationId));
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = read;
  const list = useRef<HTMLOListElement>(null);
  /** The number of statements before the latest request for more; null if there was none. */
  const [shownBefore, setShownBefore] = useState<number | null>(null);
  const statements = data?.pages.flatMap((page) => page.data) ?? [];
  const count = statements.length;
  useEffect(() => {
    if (shownBefore === null || count <= shownBefore) return;
    // The button moves or disappears, so the focus moves to the first new statement.
    list.current?.children[shownBefore]?.querySelector('summary')?.focus();
    setShownBefore(null);
  }, [count, shownBefore]);
  if (count === 0 && standard !== null && !WITH_STATEMENTS.includes(standard)) return null;
  return (
    <Panel title={texts.title} description={texts.description}>
      {data === undefined ? (
        <Unread query={read} />
      ) : count === 0 ? (
        <p className={styles.note}>{texts.empty}</p>
      ) : (
        <>
          <ol ref={list} className={styles.statements} aria-label={texts.title}>
            {statements.map((statement) => (
              <StatementItem key={statement.statement_id} statement={statement} />
            ))}
          </ol>
          {isFetchNextPageError && <FormProblem error={error} />}
          {hasNextPage && (
            <BusyButton
              className={styles.more ?? ''}
              variant="default"
              isBusy={isFetchingNextPage}
              onClick={() => {
                setShownBefore(count);
                void fetchNextPage();
              }}
            >
              {texts.more}
            </BusyButton>
          )}
        </>
      )}
    </Panel>
  );
}

function StatementItem({ statement }: { statement: Statement }) {
  const [opened, setOpened] = useState(false);
  const raw = opened ? JSON.stringify(statement.statement, null, 2) : '';
  return (
    <li>
      <Time value={statement.stored_dt} format="absolute" />
      <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
        <summary>
          <bdi className={statement.voided ? styles.voided : undefined}>{statement.sentence}</bdi>
          {statement.voided && <StatusBadge tone="quiet">{texts.voided}</StatusBadge>}
        </summary>
        {opened && (
          <div className={styles.rawBox}>
            <CopyButton value={raw} label={texts.copyRaw(statement.sentence)} />
            <ScrollBox label={texts.rawOf(statement.sentence)} className={styles.rawText}>
              <pre>{raw}</pre>
            </ScrollBox>
          </div>
        )}
      </details>
    </li>
  );
}
