import { ApiError } from '../../api/errors.ts';
import { fieldOf } from '../../components/form-problem.tsx';
import { capitalized } from '../../utilities/capitalized.ts';
import type { AlertDraft, AlertFormState } from './alert-draft.ts';

/** The members of the API, and the fields that show their errors. */
const FIELDS: Readonly<Record<string, keyof AlertDraft>> = {
  name: 'name',
  minutes: 'minutes',
  webhook_ids: 'webhook_ids',
  email_to: 'email_to',
  'target.url': 'url',
  'quiet_hours.to': 'to',
  'quiet_hours.from': 'from',
  'quiet_hours.time_zone': 'time_zone',
};

/** The field for a member of the API: `email_to.1` → `email_to`. */
function formFieldOf(pointer: string): keyof AlertDraft | undefined {
  const member = fieldOf(pointer);
  return FIELDS[member] ?? FIELDS[member.replace(/\.\d+$/, '')];
}

/** The members of the API whose errors are shown at a field. */
export function fieldsIn(error: unknown): string[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .filter(({ pointer }) => formFieldOf(pointer) !== undefined)
    .map(({ pointer }) => fieldOf(pointer));
}

/** Shows the errors of the service at their fields, and focuses the first of these. */
export function showErrors(form: AlertFormState, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const errors: Record<string, string> = {};
  for (const { pointer, detail } of error.errors) {
    const field = formFieldOf(pointer);
    if (field !== undefined) errors[field] ??= capitalized(detail);
  }
  form.setErrors(errors);
  const [first] = Object.keys(errors);
  if (first !== undefined) form.getInputNode(first)?.focus();
}
