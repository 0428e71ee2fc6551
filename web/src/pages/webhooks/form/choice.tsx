import { Radio } from '@mantine/core';
import styles from './form.module.css';

/** An option with its explanation. */
export function Choice({ value, label, description }: { value: string; label: string; description: string }) {
  return (
    <Radio
      value={value}
      label={label}
      description={description}
      classNames={{
        root: styles.choice ?? '',
        label: styles.choiceLabel ?? '',
        labelWrapper: styles.choiceLabelWrapper ?? '',
        description: styles.choiceDescription ?? '',
      }}
    />
  );
}
