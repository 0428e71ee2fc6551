import { ScrollBox } from '../../components/scroll-box.tsx';
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
    <ScrollBox label={label} className={styles.code}>
      <pre className={styles.text} data-wrap={wrap}>
        {children}
      </pre>
    </ScrollBox>
  );
}
