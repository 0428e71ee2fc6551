import { Tooltip } from '@mantine/core';
import { shared } from '../texts/shared.ts';
import { formatClock, formatDateTime, formatPrecise, formatRelative, formatUtc } from '../utilities/times.ts';
import { useNow } from '../utilities/use-now.ts';
import { useToday } from '../utilities/use-today.ts';
import styles from './time.module.css';

const RELATIVE_EVERY_MS = 10_000;

/**
 * A time in the viewer's time zone. On hover, it is shown with milliseconds and in UTC. It is not a tab stop, because a
 * list has many.
 * @param value ISO 8601, or null if it has not happened
 */
export function Time({
  value,
  format = 'relative',
  fallback = shared.never,
}: {
  value: string | null | undefined;
  /** `relative`: “5 minutes ago”; `clock`: the time, with the date unless it is today’s; `absolute`: date and time; `precise`: to the millisecond. */
  format?: 'relative' | 'clock' | 'absolute' | 'precise';
  fallback?: string;
}) {
  if (value === null || value === undefined) return <span className={styles.absent}>{fallback}</span>;
  const time = new Date(value);
  return (
    <Tooltip
      multiline
      label={
        <span className={styles.tip}>
          <span>{formatPrecise(time)}</span>
          <span>{formatUtc(time)}</span>
        </span>
      }
    >
      <time dateTime={value} className={styles.time}>
        {format === 'relative' ? (
          <Relative time={time} />
        ) : format === 'clock' ? (
          <Clock time={time} />
        ) : format === 'absolute' ? (
          formatDateTime(time)
        ) : (
          formatPrecise(time)
        )}
      </time>
    </Tooltip>
  );
}

function Relative({ time }: { time: Date }) {
  return formatRelative(time, useNow(RELATIVE_EVERY_MS));
}

/** At midnight, it gets the date. */
function Clock({ time }: { time: Date }) {
  return formatClock(time, useToday());
}
