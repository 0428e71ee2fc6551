import styles from './selection.module.css';

/**
 * The box that selects a row, or all rows. A click that narrowly misses it ticks it, too. It is the browser's own: a
 * styled one has six elements, and a page has a hundred of them.
 */
export function RowCheckbox({
  label,
  checked,
  indeterminate = false,
  disabled = false,
  onChange,
}: {
  label: string;
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  /** `asRange`: with Shift. */
  onChange: (checked: boolean, asRange: boolean) => void;
}) {
  return (
    <label
      className={styles.target}
      // With Shift, the browser would select the text between.
      onMouseDown={(event) => {
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <input
        type="checkbox"
        className={styles.box}
        aria-label={label}
        checked={checked}
        disabled={disabled}
        ref={(input) => {
          if (input !== null) input.indeterminate = indeterminate;
        }}
        onChange={({ currentTarget, nativeEvent }) =>
          onChange(currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}
