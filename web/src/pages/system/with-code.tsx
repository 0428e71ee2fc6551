import styles from './system.module.css';

/** Links refer to the documentation files. */
const LINK = /\[([^\]]+)\]\([^)]+\)/g;

/** A text with names and values in backticks. Links are shown as plain words. */
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
