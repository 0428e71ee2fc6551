import { Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AnchorLink } from './links.tsx';
import styles from './page-header.module.css';

/**
 * The header of every page: its only `h1`, its actions, and the way back. The heading gets the focus when the page
 * opens.
 */
export function PageHeader({
  title,
  description,
  badges,
  actions,
  back,
}: {
  title: ReactNode;
  description?: ReactNode;
  /** Badges next to the title. */
  badges?: ReactNode;
  /** Buttons; the most important one last. */
  actions?: ReactNode;
  back?: { link: LinkProps; label: string };
}) {
  return (
    <header className={styles.header}>
      {back !== undefined && (
        <AnchorLink {...back.link} activeOptions={{ exact: true }} className={styles.back}>
          <IconChevronLeft size={16} stroke={1.8} aria-hidden />
          {back.label}
        </AnchorLink>
      )}
      <div className={styles.row}>
        <div className={styles.words}>
          <div className={styles.title}>
            <Title order={1} tabIndex={-1}>
              {title}
            </Title>
            {badges}
          </div>
          {description !== undefined && <p className={styles.description}>{description}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </header>
  );
}
