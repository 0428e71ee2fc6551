import type { ReactNode } from 'react';
import { keepsFocus } from '../focus-heading.ts';
import styles from './selection.module.css';

/** The bar below a list that has the actions on its selected rows. It must be a sibling of the list. */
export function SelectionDock({ children }: { children: ReactNode }) {
  return (
    <div ref={keepsFocus} className={styles.dock}>
      {children}
    </div>
  );
}
