import { CHECKS, countProblems, type Health } from '../../api/health.ts';
import { Callout } from '../../components/callout.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { system } from '../../texts/system.ts';
import { formatDateTime } from '../../utilities/times.ts';
import styles from './system.module.css';

const texts = system.health;

interface Check {
  /** Needed if several have the same name. */
  key?: string;
  name: string;
  tone: Tone;
  state: string;
  /** The meaning of the result, and what to do if it is bad. */
  words: string;
}

/** Whether everything that the service depends on works, and if not, what to do. */
export function HealthPanel({ health }: { health: Health }) {
  const checks = checksOf(health);
  return (
    <Panel title={texts.title}>
      <Verdict health={health} />
      <ul className={styles.checks} aria-label={texts.label}>
        {checks.map(({ key, name, tone, state, words }) => (
          <li key={key ?? name} className={styles.check}>
            <div className={styles.checkName}>{name}</div>
            <StatusBadge tone={tone}>{state}</StatusBadge>
            <p className={styles.checkWords}>{words}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Verdict({ health }: { health: Health }) {
  if (countProblems(health) > 0) return <Callout tone="bad" title={texts.wrong} live />;
  if (health.clock_ahead_seconds !== null) return <Callout tone="warn" title={texts.clockWrong} />;
  if (health.setting_differences.length > 0) return <Callout tone="warn" title={texts.settingsDiffer} />;
  if (health.queue.state !== 'delivering') return <Callout tone="warn" title={texts.attention} />;
  return (
    <Callout tone="good" title={texts.fine}>
      {texts.fineDescription}
    </Callout>
  );
}

/** The service gives more specific advice than the general text. */
function obstacleOf(check: string, { engine, obstacle }: Health['queue']): string | null {
  if (check !== 'queue') return null;
  if (obstacle !== null) return texts.checks.queue.obstacle(obstacle);
  return engine === 'database' ? texts.checks.queue.failedInDatabase : null;
}

function deliveryOf({ queue: { state }, connection_trouble: trouble }: Health): Check {
  const { name, unable, ...words } = texts.checks.delivery;
  // An instance of an earlier release sends none.
  if (trouble != null) {
    const since = formatDateTime(new Date(trouble.since_dt));
    return { name, tone: 'bad', state: texts.unable, words: unable(trouble.reason, trouble.webhooks, since) };
  }
  return state === 'delivering'
    ? { name, tone: 'good', state: texts.ok, words: words[state] }
    : { name, tone: 'warn', state: texts.off, words: words[state] };
}

function checksOf(health: Health): Check[] {
  const {
    checks,
    queue,
    clock_ahead_seconds: ahead,
    setting_differences: differences,
    content_origin_risks: risks,
  } = health;
  const readiness = CHECKS.flatMap((check) => {
    const result = checks[check];
    if (result === undefined) return [];
    const { name, ok, failed } = texts.checks[check];
    return result === 'ok'
      ? { name, tone: 'good' as const, state: texts.ok, words: ok }
      : { name, tone: 'bad' as const, state: texts.failed, words: obstacleOf(check, queue) ?? failed };
  });
  const { clock } = texts.checks;
  return [
    ...readiness,
    ...(ahead === null
      ? []
      : [{ name: clock.name, tone: 'warn' as const, state: texts.clockOff, words: clock.off(ahead) }]),
    deliveryOf(health),
    ...risks.map((risk) => ({
      key: risk,
      name: texts.checks.contentOrigin.name,
      tone: 'warn' as const,
      state: texts.risk,
      words: texts.checks.contentOrigin.risk(risk),
    })),
    ...differences.map(({ setting, value, other_value, other_host, other_instance }) => ({
      key: `${other_instance} ${setting}`,
      name: texts.checks.settings.name,
      tone: 'warn' as const,
      state: texts.differ,
      words: texts.checks.settings.differs(
        setting,
        JSON.stringify(value),
        JSON.stringify(other_value),
        other_host,
      ),
    })),
  ];
}
