import { GIB, KIB, MIB, TIB } from '../bytes.ts';
import { byteSize } from './byte-size.ts';
import { duration, wholeNumber } from './parser.ts';
import { define, type SettingDefinition } from './setting-definition.ts';
import { DAY, HOUR, MINUTE } from './setting-values.ts';

/** How long tokens, sessions and launches are valid. */
export const ACCESS_SETTINGS = {
  access_token_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 1, max: 30 * DAY }),
    default: HOUR,
    meaning: 'How long an access token is valid: `expires_in` in responses of the token endpoint.',
  }),
  session_idle_timeout: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 30 * DAY }),
    default: 12 * HOUR,
    meaning:
      'Time without use after which an administrator must sign in again. A page that is only open does not count as use.',
  }),
  session_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: 5 * MINUTE, max: 90 * DAY }),
    default: 7 * DAY,
    meaning: 'Time after which an administrator must sign in again, even if the session is in use.',
  }),
  audit_log_days: define({
    group: 'Access',
    shared: true,
    parser: wholeNumber({ min: 1, max: 3_650, unit: 'days' }),
    default: 365,
    meaning: 'How long the audit log is kept: who changed what.',
  }),
  launch_lifetime: define({
    group: 'Access',
    shared: true,
    parser: duration({ min: MINUTE, max: 7 * DAY }),
    default: 12 * HOUR,
    meaning:
      'How long a learner can stay in a course after opening the launch link. Later progress ' +
      'requires a new launch.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** How much callers may send and create. */
export const LIMIT_SETTINGS = {
  max_webhooks: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 10_000,
    meaning:
      'Maximum number of webhooks. An event creates a message for each webhook that it matches. Once the limit is ' +
      'reached, creating another webhook is rejected with 409. Existing webhooks are not affected.',
  }),
  max_assets_per_call: define({
    group: 'Limits',
    shared: true,
    parser: wholeNumber({ min: 1, max: 1_000_000 }),
    default: 5_000,
    meaning:
      'Maximum number of courses, equivalents and bundles that one call can add to accounts. Content of folders ' +
      'counts, and everything counts once for each account. The same limit applies to a removal from many ' +
      'accounts. A call that would change more is ' +
      'rejected with 409 and changes nothing.',
  }),
  max_package_size: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: TIB }),
    default: GIB,
    meaning: 'Maximum size of a course package.',
  }),
  max_request_body: define({
    group: 'Limits',
    shared: true,
    parser: byteSize({ min: KIB, max: 64 * MIB }),
    default: MIB,
    meaning: 'Maximum size of the body of any other request.',
  }),
} as const satisfies Record<string, SettingDefinition<unknown>>;
