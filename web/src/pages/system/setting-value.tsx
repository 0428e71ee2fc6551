import { KIB } from '../../../../src/bytes.ts';
import { SECOND_MS } from '../../../../src/time/units.ts';
import type { SettingInForce } from '../../api/health.ts';
import { system } from '../../texts/system.ts';
import { formatBytes } from '../../utilities/numbers.ts';
import { formatDuration } from '../../utilities/times.ts';
import styles from './system.module.css';

const texts = system.settings;
const SECONDS_IN_OTHER_UNITS = 60;

/** A configured value, with its meaning next to it. */
export function SettingValue({ value, unit }: Pick<SettingInForce, 'value' | 'unit'>) {
  if (value === null || value === undefined) return <span className={styles.absent}>{texts.notSet}</span>;
  if (Array.isArray(value) && value.length === 0) return <span className={styles.absent}>{texts.empty}</span>;
  const words = inWords(value, unit);
  return (
    <span className={styles.value}>
      <code className={styles.code}>{asConfigured(value)}</code>
      {words !== null && <span className={styles.absent}>{words}</span>}
    </span>
  );
}

function asConfigured(value: unknown): string {
  if (Array.isArray(value)) return value.map(asConfigured).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The meaning of a number of seconds, days or bytes; null if the value is clear. */
function inWords(value: unknown, unit: SettingInForce['unit']): string | null {
  if (typeof value !== 'number') return null;
  switch (unit) {
    case 'seconds':
      return value < SECONDS_IN_OTHER_UNITS ? texts.seconds(value) : formatDuration(value * SECOND_MS);
    case 'days':
      return texts.days(value);
    case 'bytes':
      return value < KIB ? null : formatBytes(value);
    case null:
      return null;
  }
}
