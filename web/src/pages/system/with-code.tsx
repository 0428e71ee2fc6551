import styles from './system.module.css';

/** A text in which names and values stand between backticks. */
export function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
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
