import styles from './code-block.module.css';

/** Text as it is, in fixed width; scrolls by itself, also with the keyboard. Never markup. */
export function CodeBlock({
  label,
  children,
  wrap = false,
}: {
  label: string;
  children: string;
  wrap?: boolean;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.code} data-wrap={wrap} tabIndex={0} aria-label={label}>
      <pre className={styles.text}>{children}</pre>
    </section>
  );
}
