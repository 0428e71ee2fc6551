import type { Alert, AlertNotice } from '../../api/alerts.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { alerts as texts } from '../../texts/alerts.ts';
import { useNow } from '../../utilities/use-now.ts';
import styles from './alerts.module.css';

const NEXT_ATTEMPT_EVERY_MS = 10_000;

/** Whether a rule is firing, or why it is not. */
export function AlertState({ alert: { enabled, firing, quiet_now } }: { alert: Alert }) {
  if (!enabled) return <StatusBadge tone="quiet">{texts.states.disabled}</StatusBadge>;
  return (
    <div className={styles.badges}>
      {firing > 0 ? (
        <StatusBadge tone="bad">{texts.states.firing(firing)}</StatusBadge>
      ) : (
        <StatusBadge tone="good">{texts.states.ok}</StatusBadge>
      )}
      {quiet_now && <StatusBadge tone="quiet">{texts.states.quiet}</StatusBadge>}
    </div>
  );
}

/** What a rule watches, in words. */
export function conditionOf({ condition, minutes, webhook_ids }: Alert): string {
  const what = texts.conditions[condition].inWords(minutes);
  return condition === 'SERVICE_IN_TROUBLE' || webhook_ids === null
    ? what
    : `${what} (${texts.webhooks(webhook_ids.length)})`;
}

/** The recipients of a rule, one per line. */
export function Notifies({ alert: { email_to, target } }: { alert: Alert }) {
  const [first, ...others] = email_to;
  return (
    <div className={styles.lines}>
      {first !== undefined && (
        <div>
          <bdi>{first}</bdi>
          {others.length > 0 && ` +${others.length}`}
        </div>
      )}
      {target !== null && (
        <div>
          {texts.formats[target.format]} · <bdi>{hostOf(target.origin)}</bdi>
        </div>
      )}
    </div>
  );
}

/** The notices of each channel: when each was sent, or why not. */
export function Notices({ notices, kinds = false }: { notices: readonly AlertNotice[]; kinds?: boolean }) {
  return (
    <ul className={styles.notices}>
      {notices.map((notice) => (
        <li key={`${notice.created_dt} ${notice.kind} ${notice.channel}`}>
          {kinds && `${texts.notice.kind[notice.kind]} · `}
          {texts.notice.channel[notice.channel]}: <NoticeState notice={notice} />
        </li>
      ))}
    </ul>
  );
}

function NoticeState({
  notice: { state, attempts, sent_dt, next_attempt_dt, error },
}: {
  notice: AlertNotice;
}) {
  const next = next_attempt_dt !== null && (
    <>
      , <NextAttempt at={next_attempt_dt} />
    </>
  );
  if (state === 'SENT')
    return (
      <>
        {texts.notice.SENT} <Time value={sent_dt} />
        {next}
        {error !== null && (
          <div className={styles.warning}>
            <bdi>{error}</bdi>
          </div>
        )}
      </>
    );
  if (error === null && attempts <= 1) return texts.notice.UNTRIED;
  return (
    <>
      {texts.notice[state]}
      {next}
      {error !== null && (
        <div className={styles.error}>
          <bdi>{error}</bdi>
        </div>
      )}
    </>
  );
}

function hostOf(origin: string): string {
  return URL.parse(origin)?.host ?? origin;
}

/** A time that has passed is no news: the attempt comes with the next check. */
function NextAttempt({ at }: { at: string }) {
  const now = useNow(NEXT_ATTEMPT_EVERY_MS);
  if (new Date(at).getTime() <= now) return texts.notice.due;
  return (
    <>
      {texts.notice.next} <Time value={at} />
    </>
  );
}
