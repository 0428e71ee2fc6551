import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { fieldOf } from '../../../components/form-problem.tsx';
import { capitalized } from '../../../utilities/capitalized.ts';
import { type FieldErrors, fieldOfMember } from './draft-checks.ts';

const NO_ERRORS: FieldErrors = {};
const FIELDS = [
  'name',
  'target_url',
  'authentication.key',
  'authentication.secret',
  'topic',
  'subtopics',
  'focus',
];

/** The members of an error of the service that have a field in the form. They stay the same while their fields are corrected. */
export function fieldsIn(error: unknown): string[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .map(({ pointer }) => fieldOf(pointer))
    .filter((member) => FIELDS.includes(fieldOfMember(member)));
}

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
    if (!(error instanceof ApiError) || error.errors.length === 0) return;
    setRefused(
      Object.fromEntries(
        error.errors.map(({ pointer, detail }) => [fieldOfMember(fieldOf(pointer)), capitalized(detail)]),
      ),
    );
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
