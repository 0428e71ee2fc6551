import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values, next to each other; in narrow places, below each other. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode] | null)[] }) {
  return (
    <dl className={styles.facts}>
      {items
        .filter((item) => item !== null)
        .map(([name, value]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
