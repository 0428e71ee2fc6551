import type { Alert } from '../../api/alerts.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import { conditionOf } from './alert-cells.tsx';

const { details, form } = texts;

/** The members of an alert, in words. `is` is compared, because equal words may be about other webhooks. */
const FACTS: readonly { label: string; is: (alert: Alert) => unknown; words: (alert: Alert) => string }[] = [
  { label: form.name, is: ({ name }) => name, words: ({ name }) => name },
  {
    label: texts.columns.state,
    is: ({ enabled }) => enabled,
    words: ({ enabled }) => (enabled ? form.enabled : texts.states.disabled),
  },
  {
    label: details.condition,
    is: ({ condition, minutes, webhook_ids }) => [condition, minutes, webhook_ids],
    words: conditionOf,
  },
  {
    label: details.email,
    is: ({ email_to }) => email_to,
    words: ({ email_to }) => email_to.join(', ') || shared.none,
  },
  {
    label: details.target,
    is: ({ target }) => target,
    words: ({ target }) =>
      target === null ? shared.none : `${texts.formats[target.format]} · ${target.origin}`,
  },
  {
    label: details.quiet,
    is: ({ quiet_hours }) => quiet_hours,
    words: ({ quiet_hours: quiet }) =>
      quiet === null ? shared.none : details.quietWords(quiet.from, quiet.to, quiet.time_zone),
  },
];

/** What differs between two states of an alert, in words. */
export function alertChanges(before: Alert, now: Alert): string[] {
  return FACTS.filter(({ is }) => JSON.stringify(is(before)) !== JSON.stringify(is(now))).map(
    ({ label, words }) => form.conflict.fact(label, words(now)),
  );
}
