import styles from './system.module.css';

/** Links lead within the written documentation. */
const LINK = /\[([^\]]+)\]\([^)]+\)/g;

/** A text in which names and values stand between backticks; of its links, the words. */
export function WithCode({ text }: { text: string }) {
  return text
    .replace(LINK, '$1')
    .split('`')
    .map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order.
        <code key={index} className={styles.code}>
          {part}
        </code>
      ),
    );
}
