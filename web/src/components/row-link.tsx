import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import styles from './data-rows.module.css';
import { ROW_LINK } from './row-clicks.ts';

/**
 * The link of a row to its page. A click anywhere in the row follows it (see `rowClicks`); only the link is in the
 * tab order.
 */
export const RowLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} {...ROW_LINK} className={styles.link} />
));
