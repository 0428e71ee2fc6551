import type { ReactNode } from 'react';
import styles from './scroll-box.module.css';

/** A section of a page that scrolls on its own, also with the keyboard. */
export function ScrollBox({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={`${styles.box} ${className}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
