import { Link } from '@tanstack/react-router';
import { shared } from '../texts/shared.ts';
import styles from './logo.module.css';

/** The mark: a wire from one end to another. */
export function LogoMark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
      <rect width="32" height="32" rx="8" className={styles.field} />
      <path d="M8 21.5h4.200c2.6 0 2.9-2 4-5.500s1.6-5.5 4-5.500H24" className={styles.wire} />
      <circle cx="8" cy="21.5" r="2.6" fill="#fff" />
      <circle cx="24" cy="10.5" r="2.6" fill="#8fd3c0" />
    </svg>
  );
}

/** Mark and name, with a link to the dashboard. */
export function Logo() {
  return (
    <Link to="/" className={styles.logo} activeOptions={{ exact: true }}>
      <LogoMark />
      <span>{shared.product}</span>
    </Link>
  );
}
