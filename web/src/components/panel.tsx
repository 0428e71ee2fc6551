import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

/** A section of a page with its own heading. */
export function Panel({
  title,
  description,
  actions,
  flush = false,
  children,
}: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Whether the content extends to the edges, as tables do. */
  flush?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <div className={styles.words}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description !== undefined && <p className={styles.description}>{description}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      <div className={flush ? styles.flush : styles.content}>{children}</div>
    </section>
  );
}
