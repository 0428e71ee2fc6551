import type { ReactNode } from 'react';
import styles from './selection.module.css';

/** The bar below a list that has the actions on its selected rows. It must be a sibling of the list. */
export function SelectionDock({ children }: { children: ReactNode }) {
  return <div className={styles.dock}>{children}</div>;
}
