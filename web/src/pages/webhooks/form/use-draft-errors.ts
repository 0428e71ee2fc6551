import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { errorsAt } from '../../../components/field-errors.ts';
import { DRAFT_FIELDS, type FieldErrors } from './draft-checks.ts';

const NO_ERRORS: FieldErrors = {};

/**
 * The errors that the form of a webhook shows at its fields: those of the draft after the first check, and those of the
 * service until something is changed. New errors move the focus to the first field that has one.
 * @param found the errors of the draft
 * @param problem the error of the last attempt to save
 */
export function useDraftErrors(found: FieldErrors, problem: unknown) {
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState(NO_ERRORS);
  const [attempt, setAttempt] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const errors = { ...(checked ? found : NO_ERRORS), ...refused };

  /** Shows errors of members at their fields. They stay until something is changed. */
  const showRefusal = (error: unknown): void => {
    const known = errorsAt(error, DRAFT_FIELDS);
    if (Object.keys(known).length === 0) return;
    setRefused(known);
    setAttempt((before) => before + 1);
  };
  const showProblem = useEffectEvent(showRefusal);
  useEffect(() => showProblem(problem), [problem]);

  // After the errors are rendered.
  const focusError = useEffectEvent(() => focusFirst(form.current, Object.keys(errors)));
  useEffect(() => {
    if (attempt > 0) focusError();
  }, [attempt]);

  return {
    /** For the element of the form. */
    form,
    errors,
    showRefusal,
    /** Called after each change. */
    clearRefusal: () => setRefused(NO_ERRORS),
    /** Shows the errors of the draft from now on. Returns whether there are none. */
    check: (): boolean => {
      setChecked(true);
      if (Object.keys(found).length === 0) return true;
      setAttempt((before) => before + 1);
      return false;
    },
  };
}

/** Focuses the first of these fields, in the order of the page. */
function focusFirst(form: HTMLFormElement | null, fields: readonly string[]): void {
  const places = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
  const place = places.find((each) => fields.includes(each.dataset.field ?? ''));
  const control = place?.matches('input') ? place : place?.querySelector<HTMLElement>('input:enabled');
  control?.focus();
}
