import styles from './code-block.module.css';
import { ScrollBox } from './scroll-box.tsx';

/** Preformatted text, never markup. It scrolls, also with the keyboard. */
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
    <ScrollBox label={label} className={styles.code}>
      <pre className={styles.text} data-wrap={wrap}>
        {children}
      </pre>
    </ScrollBox>
  );
}
