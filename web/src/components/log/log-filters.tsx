import { Button, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { shared } from '../../texts/shared.ts';
import { LATEST_LOCAL_TIME, toAddressTime, toLocalTime } from '../../utilities/local-time.ts';
import { keepsFocus } from '../focus-heading.ts';
import type { TableState } from '../use-table.ts';
import { useTypedFilter } from '../use-typed-filter.ts';
import styles from './log.module.css';

/** Longer than for text, because a time has several parts to type. */
const TYPING_MS = 600;
const FORMS = { toField: toLocalTime, toAddress: toAddressTime };

/** A field for the earliest or latest time of the entries of a log. */
export function TimeFilter({
  table,
  name,
  label,
}: {
  table: TableState;
  name: 'from' | 'to';
  label: string;
}) {
  // Writing an older value into the field would discard the digits that were typed since.
  const [typed, type] = useTypedFilter(table, name, TYPING_MS, FORMS);
  return (
    <TextInput
      // The value of an incomplete field is empty, so that no value can empty it.
      key={table.clears}
      type="datetime-local"
      max={LATEST_LOCAL_TIME}
      error={typed === '' || toAddressTime(typed) !== null ? undefined : shared.incompleteTime}
      className={styles.time ?? ''}
      leftSection={<span className={styles.timeLabel}>{label}</span>}
      leftSectionWidth={56}
      aria-label={label}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

/** Shows a filter that was set by a link, and can remove it. */
export function LinkedFilter({
  table,
  name,
  label,
  remove,
}: {
  table: TableState;
  name: string;
  /** For example `Registration 7`. */
  label: string;
  /** The label of the button. */
  remove: string;
}) {
  if (table.values[name] === undefined) return null;
  return (
    <Button
      ref={keepsFocus}
      variant="default"
      rightSection={<IconX size={14} stroke={1.8} aria-hidden />}
      aria-label={`${remove}: ${label}`}
      onClick={() => table.change({ [name]: undefined })}
    >
      <span className={styles.only}>{label}</span>
    </Button>
  );
}
