import { IconLock } from '@tabler/icons-react';
import { navigation } from '../texts/navigation.ts';
import styles from './notice.module.css';

/** Shown above every page while the webhooks service is disabled. */
export function ReadOnlyNotice() {
  return (
    <div className={styles.notice} data-tone="warn" role="note">
      <IconLock size={18} stroke={1.6} aria-hidden />
      <span>
        <strong>{navigation.readOnly.title}.</strong> {navigation.readOnly.description}
      </span>
    </div>
  );
}
