import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import styles from './data-rows.module.css';

/** The link of a row to what it is about: the whole row can be clicked, the name alone is in the tab order. */
export const RowLink = createLink((props: ComponentProps<'a'>) => <a {...props} className={styles.link} />);
