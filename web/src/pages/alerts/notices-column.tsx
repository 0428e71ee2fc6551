import { NOTICE_GROUP_MS } from '../../../../src/alerts/firing.ts';
import type { Alert, AlertFiring } from '../../api/alerts.ts';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { alerts } from '../../texts/alerts.ts';
import { useNow } from '../../utilities/use-now.ts';
import { Notices } from './alert-cells.tsx';
import styles from './alerts.module.css';

const texts = alerts.history;
const PENDING_EVERY_MS = 10_000;

/** What was sent about each firing of a rule or, if nothing was, when or why not. */
export function noticesColumn(alert: Alert, firings: readonly AlertFiring[]): Column<AlertFiring> {
  const nextAt = nextNoticeAt(alert, firings);
  return {
    id: 'notices',
    label: texts.columns.notices,
    cell: (firing) =>
      firing.notices.length > 0 ? (
        <Notices notices={firing.notices} kinds />
      ) : (
        <span className={styles.muted}>
          {firing.state === 'FIRING' ? (
            <Pending alert={alert} firing={firing} nextAt={nextAt} />
          ) : alert.quiet_hours === null ? (
            texts.endedBefore
          ) : (
            texts.quiet
          )}
        </span>
      ),
  };
}

/** When the next notice about alerts that began is allowed, in epoch milliseconds; null if it is not known. */
function nextNoticeAt({ last_notices }: Alert, firings: readonly AlertFiring[]): number | null {
  const began = [...last_notices, ...firings.flatMap(({ notices }) => notices)]
    .filter(({ kind }) => kind === 'BEGAN')
    .map(({ created_dt }) => Date.parse(created_dt));
  return began.length === 0 ? null : Math.max(...began) + NOTICE_GROUP_MS;
}

function Pending({ alert, firing, nextAt }: { alert: Alert; firing: AlertFiring; nextAt: number | null }) {
  const now = useNow(PENDING_EVERY_MS);
  if (firing.cleared_dt !== null) return texts.pending.ifBack;
  if (alert.quiet_now) return texts.pending.afterQuiet;
  if (nextAt === null || nextAt <= now) return texts.pending.soon;
  return (
    <>
      {texts.pending.at} <Time value={new Date(nextAt).toISOString()} format="clock" />
    </>
  );
}
