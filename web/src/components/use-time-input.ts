import { type ChangeEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { LATEST_LOCAL_TIME, toInstant } from '../utilities/local-time.ts';

/** The state of a field for a date and a time. */
export interface TimeInput {
  /** Empty while the field is empty or incomplete. */
  value: string;
  /** Whether the field is known to hold something that is not a time. */
  isIncomplete: boolean;
  /** Reads the field again. If what it holds is not a time, shows the error, focuses the field and returns false. */
  check: () => boolean;
  props: {
    ref: RefObject<HTMLInputElement | null>;
    type: 'datetime-local';
    max: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement>) => void;
    onKeyUp: (event: KeyboardEvent<HTMLInputElement>) => void;
  };
}

/**
 * A field for a date and a time in a form. The value of an incomplete one is empty, as if nothing had been entered, so
 * call `check` before the form is sent.
 */
export function useTimeInput(initial = ''): TimeInput {
  const ref = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState(initial);
  const [isIncomplete, setIncomplete] = useState(false);
  return {
    value,
    isIncomplete,
    check: () => {
      const bad = ref.current !== null && isWrong(ref.current);
      setIncomplete(bad);
      if (bad) ref.current?.focus();
      return !bad;
    },
    props: {
      ref,
      type: 'datetime-local',
      max: LATEST_LOCAL_TIME,
      value,
      error: isIncomplete ? shared.incompleteTime : undefined,
      onChange: ({ currentTarget }) => {
        setValue(currentTarget.value);
        setIncomplete(isWrong(currentTarget));
      },
      // The value of a field that was incomplete and is emptied does not change.
      onKeyUp: ({ currentTarget }) => {
        if (!isWrong(currentTarget)) setIncomplete(false);
      },
    },
  };
}

/** Whether the field is filled partly, or its time is too late for the service. */
function isWrong({ validity, value }: HTMLInputElement): boolean {
  return validity.badInput || validity.rangeOverflow || (value !== '' && toInstant(value) === null);
}
