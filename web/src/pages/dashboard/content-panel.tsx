import { Link, type LinkProps } from '@tanstack/react-router';
import type { Dashboard } from '../../api/dashboard.ts';
import { Panel } from '../../components/panel.tsx';
import { dashboard } from '../../texts/dashboard.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import styles from './dashboard.module.css';

const texts = dashboard.content;

type Counts = NonNullable<Dashboard['content']>;

const KINDS: readonly { kind: keyof Counts; link: LinkProps }[] = [
  { kind: 'courses', link: { to: '/content', search: { below: 'yes' } } },
  { kind: 'equivalents', link: { to: '/content', search: { below: 'yes', kind: 'equivalents' } } },
  { kind: 'bundles', link: { to: '/content', search: { below: 'yes', kind: 'bundles' } } },
  { kind: 'accounts', link: { to: '/accounts' } },
  { kind: 'registrations', link: { to: '/registrations' } },
];

/** The number of items of each type. */
export function ContentPanel({ counts }: { counts: Counts }) {
  return (
    <Panel title={texts.title}>
      <ul className={styles.counts} aria-label={texts.title}>
        {KINDS.map(({ kind, link }) => (
          <li key={kind} className={styles.count}>
            <Link {...link} className={styles.countLink}>
              {texts[kind]}
            </Link>
            <span className={styles.countValue}>{formatNumber(counts[kind])}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
