import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ConnectionNotice } from '../../layout/connection-notice.tsx';
import { rememberFrame } from '../../layout/frame-memory.ts';
import { LogoMark } from '../../layout/logo.tsx';
import styles from './account-frame.module.css';

const MARK_SIZE = 40;

/** The frame of pages that do not require sign-in. */
export function AccountFrame({
  title,
  description,
  wide = false,
  children,
}: {
  title: string;
  description?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}) {
  useEffect(() => rememberFrame(false), []);
  return (
    <div className={styles.page}>
      <ConnectionNotice />
      <main className={styles.main}>
        <div className={styles.card} data-wide={wide || undefined}>
          <LogoMark size={MARK_SIZE} />
          <Title order={1} tabIndex={-1} className={styles.title}>
            {title}
          </Title>
          {description !== undefined && <p className={styles.description}>{description}</p>}
          {children !== undefined && <div className={styles.content}>{children}</div>}
        </div>
      </main>
    </div>
  );
}
