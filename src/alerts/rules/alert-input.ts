import { emailFault } from '../../identity/clients/client-input.ts';
import { type InputError, noSuch } from '../../problems/problem.ts';
import type { AlertRule } from './alert-rule.ts';
import type { AlertInput } from './alert-schemas.ts';
import { isTimeZone } from './quiet-hours.ts';

/** What the rules of an alert's configuration depend on. */
export interface AlertInputContext {
  /** The rule that is updated; null for a new one. */
  current: AlertRule | null;
  /** Whether the setting `smtp_host` is set. */
  sendsEmail: boolean;
  /** Says why a URL is not allowed, or null if it is. */
  checkTargetUrl: (url: string) => string | null;
  /** The webhooks of the input that exist. */
  knownWebhooks: ReadonlySet<number>;
}

/** The errors of a configuration beyond its schema. Members of the wrong type are ignored: the schema names them. */
export function alertErrors(given: unknown, context: AlertInputContext): InputError[] {
  const input = (typeof given === 'object' && given !== null ? given : {}) as Partial<AlertInput>;
  return [
    ...conditionErrors(input),
    ...webhookErrors(input, context),
    ...emailErrors(input, context),
    ...targetErrors(input, context),
    ...quietErrors(input),
  ];
}

/** The ids of webhooks in an input of any form. */
export function webhookIdsOf(given: unknown): number[] {
  const ids = (given as Partial<AlertInput> | null)?.webhook_ids;
  return Array.isArray(ids) ? ids.filter((id) => Number.isSafeInteger(id)) : [];
}

function conditionErrors({ condition, minutes, webhook_ids: ids }: Partial<AlertInput>): InputError[] {
  const errors: InputError[] = [];
  if (condition === 'MESSAGE_DEAD_LETTERED' && typeof minutes === 'number')
    errors.push({ pointer: '/minutes', detail: 'is not allowed for MESSAGE_DEAD_LETTERED' });
  if (condition === 'SERVICE_IN_TROUBLE' && Array.isArray(ids))
    errors.push({ pointer: '/webhook_ids', detail: 'is not allowed for SERVICE_IN_TROUBLE' });
  return errors;
}

/** A webhook that was deleted since may stay, so that the rule can be sent back as it was read. */
function webhookErrors(
  { webhook_ids: ids }: Partial<AlertInput>,
  { knownWebhooks, current }: AlertInputContext,
): InputError[] {
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id, at) =>
    !Number.isSafeInteger(id) || knownWebhooks.has(id) || current?.webhookIds?.includes(id) === true
      ? []
      : [noSuch(`/webhook_ids/${at}`, 'webhook', id)],
  );
}

/** Without an SMTP server, addresses that the rule has may stay, so that it can be sent back as it was read. */
function emailErrors(
  { email_to: to, target }: Partial<AlertInput>,
  { sendsEmail, current }: AlertInputContext,
): InputError[] {
  const addresses = Array.isArray(to) ? to : [];
  if (addresses.length === 0 && (target === undefined || target === null))
    return [
      { pointer: '/email_to', detail: 'is required unless there is a target: someone has to be notified' },
    ];
  const invalid = addresses.flatMap((address, at) => {
    const detail = typeof address === 'string' ? emailFault(address) : null;
    return detail === null ? [] : [{ pointer: `/email_to/${at}`, detail }];
  });
  if (sendsEmail || addresses.every((address) => current?.emailTo.includes(address) === true)) return invalid;
  return [
    { pointer: '/email_to', detail: 'no e-mail can be sent: the setting smtp_host is not set' },
    ...invalid,
  ];
}

function targetErrors(
  { target }: Partial<AlertInput>,
  { current, checkTargetUrl }: AlertInputContext,
): InputError[] {
  if (typeof target !== 'object' || target === null) return [];
  if (target.url === undefined)
    return (current?.target ?? null) === null ? [{ pointer: '/target/url', detail: 'is required' }] : [];
  if (typeof target.url !== 'string') return [];
  const detail = checkTargetUrl(target.url);
  return detail === null ? [] : [{ pointer: '/target/url', detail }];
}

function quietErrors({ quiet_hours: quiet }: Partial<AlertInput>): InputError[] {
  if (typeof quiet !== 'object' || quiet === null) return [];
  const errors: InputError[] = [];
  if (typeof quiet.time_zone === 'string' && quiet.time_zone !== '' && !isTimeZone(quiet.time_zone))
    errors.push({
      pointer: '/quiet_hours/time_zone',
      detail: 'must be the name of a time zone: Europe/Berlin',
    });
  if (typeof quiet.from === 'string' && quiet.from === quiet.to)
    errors.push({ pointer: '/quiet_hours/to', detail: 'must differ from the start' });
  return errors;
}
