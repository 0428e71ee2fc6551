import { assetKey } from '../../../../src/events/asset-key.ts';
import { shared } from '../../texts/shared.ts';
import styles from './focus-list.module.css';
import type { DraftFocus } from './form/draft.ts';

/** Focuses with their types. Names are untrusted, so their text direction is isolated. */
export function FocusList({ focus }: { focus: readonly DraftFocus[] }) {
  return (
    <ul className={styles.list}>
      {focus.map(({ type, id, name }) => (
        <li key={assetKey({ type, id })}>
          <bdi>{name ?? shared.assets.missing(id)}</bdi>
          <span className={styles.kind}>{shared.assets.types[type]}</span>
        </li>
      ))}
    </ul>
  );
}
