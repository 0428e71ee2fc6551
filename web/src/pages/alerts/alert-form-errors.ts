import { errorsAt } from '../../components/field-errors.ts';
import type { AlertDraft, AlertFormState } from './alert-draft.ts';

/** The members of the API, and the fields that show their errors, in the order of the page. */
const FIELDS = {
  name: 'name',
  minutes: 'minutes',
  webhook_ids: 'webhook_ids',
  email_to: 'email_to',
  'target.url': 'url',
  'quiet_hours.from': 'from',
  'quiet_hours.to': 'to',
  'quiet_hours.time_zone': 'time_zone',
} as const satisfies Readonly<Record<string, keyof AlertDraft>>;

/** The members of the API whose errors are shown at a field. */
export const MEMBERS_WITH_FIELD = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** Shows the errors of the service at their fields, and focuses the first of these. */
export function showErrors(form: AlertFormState, error: unknown): void {
  const found = errorsAt(error, MEMBERS_WITH_FIELD);
  const errors = Object.fromEntries(
    MEMBERS_WITH_FIELD.flatMap((member) => {
      const detail = found[member];
      return detail === undefined ? [] : [[FIELDS[member], detail] as const];
    }),
  );
  form.setErrors(errors);
  const [first] = Object.keys(errors);
  if (first !== undefined) form.getInputNode(first)?.focus();
}
