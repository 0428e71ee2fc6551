import { selection as texts } from '../../texts/selection.ts';
import { isolate } from '../../utilities/isolate.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { explainError } from '../explain-error.ts';
import { ScrollBox } from '../scroll-box.tsx';
import styles from './selection.module.css';

/** The number of names in a sentence or a question. */
export const MAX_NAMED = 8;
const MAX_FAILURES_NAMED = 100;

/** The items of a run that failed, with the reasons. */
export function FailureList({ failures }: { failures: readonly { name: string; error: unknown }[] }) {
  return (
    <ScrollBox label={texts.failures} className={styles.failures}>
      <ul className={styles.list}>
        {failures.slice(0, MAX_FAILURES_NAMED).map(({ name, error }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list is only appended to
          <li key={at}>
            <bdi>{name}</bdi>: {reasonOf(error)}
          </li>
        ))}
        {failures.length > MAX_FAILURES_NAMED && (
          <li>{texts.more(formatNumber(failures.length - MAX_FAILURES_NAMED))}</li>
        )}
      </ul>
    </ScrollBox>
  );
}

/** The names of the first items, for a notice. */
export function namesOf(items: readonly { name: string }[]): string {
  const named = items.slice(0, MAX_NAMED).map(({ name }) => isolate(name));
  const more = items.length - named.length;
  return [named.join(', '), ...(more > 0 ? [texts.more(formatNumber(more))] : [])].join(' ');
}

function reasonOf(error: unknown): string {
  const { title, detail } = explainError(error);
  return detail || title;
}
