import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DeliveryNow } from '../../api/dashboard.ts';
import { countProblems, type HealthSummary, healthSummaryQuery } from '../../api/health.ts';
import type { Tone } from '../../components/status-badge.tsx';
import { useIsAdmin } from '../../session/session-context.ts';
import { dashboard } from '../../texts/dashboard.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { formatDuration } from '../../utilities/times.ts';
import { useNow } from '../../utilities/use-now.ts';
import styles from './dashboard.module.css';

const texts = dashboard.tiles;
const AGE_EVERY_MS = 10_000;
const WEBHOOKS = '/administration/integrations/webhooks';

/** Figures that show whether something needs attention, each with a link to it. The system is for administrators. */
export function OverviewTiles({ delivery }: { delivery: DeliveryNow }) {
  const isAdmin = useIsAdmin();
  const { waiting, in_flight: inFlight, oldest_dt: oldestAt } = delivery;
  const now = useNow(AGE_EVERY_MS);
  const oldest =
    oldestAt === null ? null : texts.oldest(formatDuration(Math.max(0, now - Date.parse(oldestAt))));
  const sent = inFlight === 0 ? null : texts.inFlight(formatNumber(inFlight));
  return (
    <ul className={styles.tiles} aria-label={texts.label}>
      <Tile
        link={{ to: WEBHOOKS, search: { sort: 'depth', direction: 'desc' } }}
        label={texts.waiting}
        value={formatNumber(waiting)}
        note={waiting === 0 ? texts.nothingWaits : [oldest, sent].filter((part) => part !== null).join(', ')}
        tone={waiting === 0 ? 'good' : 'quiet'}
      />
      <Tile
        link={{ to: WEBHOOKS, search: { state: 'blocked' } }}
        label={texts.blocked}
        value={formatNumber(delivery.lines_blocked)}
        note={delivery.lines_blocked === 0 ? texts.blockedNone : texts.blockedSome}
        tone={delivery.lines_blocked === 0 ? 'good' : 'bad'}
      />
      <Tile
        link={{ to: '/administration/integrations/dead-letters' }}
        label={texts.deadLetters}
        value={formatNumber(delivery.dead_letters)}
        note={delivery.dead_letters === 0 ? texts.deadLettersNone : texts.deadLettersSome}
        tone={delivery.dead_letters === 0 ? 'good' : 'warn'}
      />
      {isAdmin && <SystemTile />}
    </ul>
  );
}

function SystemTile() {
  const { data, error } = useQuery(healthSummaryQuery);
  const link = { to: '/administration/system' } as const;
  if (data === undefined) {
    return error === null ? (
      <Tile
        link={link}
        label={texts.health}
        value={<Skeleton height={20} width="60%" />}
        note=""
        tone="quiet"
      />
    ) : (
      <Tile link={link} label={texts.health} value={texts.unknown} note={texts.notReadable} tone="bad" />
    );
  }
  const { value, tone } = stateOf(data);
  return (
    <Tile link={link} label={texts.health} value={value} note={texts.version(data.version)} tone={tone} />
  );
}

function stateOf(health: HealthSummary): { value: string; tone: Tone } {
  const problems = countProblems(health);
  if (problems > 0) return { value: texts.unhealthy(problems), tone: 'bad' };
  if (health.queue.state !== 'delivering') return { value: texts.paused, tone: 'warn' };
  return { value: texts.healthy, tone: 'good' };
}

function Tile({
  link,
  label,
  value,
  note,
  tone,
}: {
  link: LinkProps;
  label: string;
  value: ReactNode;
  note: string;
  tone: Tone;
}) {
  return (
    <li className={styles.tile} data-tone={tone}>
      <Link {...link} className={styles.tileLink}>
        {label}
      </Link>
      <div className={styles.tileValue}>{value}</div>
      <div className={styles.tileNote}>{note}</div>
    </li>
  );
}
