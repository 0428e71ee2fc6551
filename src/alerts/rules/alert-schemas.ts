import { type Static, Type } from 'typebox';
import {
  CLOCK_TIME_PATTERN,
  DateTime,
  HAS_ETAG,
  Id,
  Ignored,
  Name,
  Nullable,
  OptionalDateTime,
} from '../../http/schemas.ts';
import { MAX_EMAIL_LENGTH, MAX_URL_LENGTH } from '../../text-lengths.ts';
import {
  CHANNELS,
  CONDITIONS,
  MAX_ADDRESSES,
  MAX_MINUTES,
  MAX_RULE_WEBHOOKS,
  TARGET_FORMATS,
} from './alert-rule.ts';

const MAX_TIME_ZONE_LENGTH = 64;

export const ConditionMember = Type.Enum([...CONDITIONS], {
  title: 'AlertCondition',
  description:
    'WEBHOOK_IN_ERROR: every attempt of a webhook has failed for `minutes`. LINE_TOO_OLD: the oldest message of a ' +
    'webhook has been waiting for `minutes`: since its event or, if it was redelivered or replayed, since then. MESSAGE_DEAD_LETTERED: the last attempt of a message failed. ' +
    'SERVICE_IN_TROUBLE: the queue, a disk, the database or the storage of courses has been failing for `minutes`, or an instance has been unable to connect to targets.',
});
const FormatMember = Type.Enum([...TARGET_FORMATS], {
  title: 'AlertFormat',
  description:
    'The format of what is posted: the JSON of Coursewire, or a message for an incoming webhook of Slack or Teams.',
});
export const ChannelMember = Type.Enum([...CHANNELS], {
  title: 'AlertChannel',
  description: 'How a notice is sent.',
});
const ClockTime = (description: string) =>
  Type.String({ pattern: CLOCK_TIME_PATTERN, description, examples: ['22:00'] });

const QuietHours = Nullable(
  Type.Object(
    {
      from: ClockTime('When they start: hours and minutes.'),
      to: ClockTime('When they end. An earlier time than `from` is on the next day.'),
      time_zone: Type.String({
        minLength: 1,
        maxLength: MAX_TIME_ZONE_LENGTH,
        description: 'The IANA name of the time zone.',
        examples: ['Europe/Berlin'],
      }),
    },
    {
      title: 'AlertQuietHours',
      additionalProperties: false,
      description:
        'A time of each day in which nothing is sent. At its end, notices about alerts that are still firing are sent. Null: there are no quiet hours.',
    },
  ),
);

/** A notice about an alert over one channel, or why it was not sent. */
export const NoticeRecord = Type.Object(
  {
    kind: Type.Enum(['BEGAN', 'ENDED'], {
      title: 'AlertNoticeKind',
      description: 'Whether the alert began or ended.',
    }),
    channel: ChannelMember,
    state: Type.Enum(['WAITING', 'SENT', 'FAILED'], {
      title: 'AlertNoticeState',
      description:
        'WAITING: it is sent at `next_attempt_dt`. SENT: someone got it. FAILED: it could not be sent within 24 hours.',
    }),
    attempts: Type.Integer(),
    created_dt: DateTime('When it was due first.'),
    sent_dt: OptionalDateTime('When it was sent.'),
    next_attempt_dt: OptionalDateTime(
      'When it is sent next. Null if it is not sent again. A SENT e-mail is sent again to addresses that were deferred.',
    ),
    error: Nullable(
      Type.String({
        description:
          'Why the last attempt failed. If it was sent: which of its addresses were deferred or rejected.',
      }),
    ),
  },
  { title: 'AlertNotice', description: 'A notice about an alert over one channel.' },
);
export type NoticeRecord = Static<typeof NoticeRecord>;

const configuration = {
  name: Name('The name of the alert rule.'),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Whether the rule is evaluated. Defaults to true. A disabled rule sends nothing.',
    }),
  ),
  condition: ConditionMember,
  minutes: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MINUTES,
        description:
          'How long the problem has to last. Defaults to 15, for SERVICE_IN_TROUBLE to 1. ' +
          'Not allowed for MESSAGE_DEAD_LETTERED.',
      }),
    ),
  ),
  webhook_ids: Type.Optional(
    Nullable(
      Type.Array(Id(), {
        minItems: 1,
        maxItems: MAX_RULE_WEBHOOKS,
        uniqueItems: true,
        description:
          'The webhooks that are watched. Defaults to null: all. Not allowed for SERVICE_IN_TROUBLE.',
      }),
    ),
  ),
  email_to: Type.Optional(
    Type.Array(Type.String({ maxLength: MAX_EMAIL_LENGTH }), {
      maxItems: MAX_ADDRESSES,
      uniqueItems: true,
      description: 'The addresses that get e-mail. Requires the setting `smtp_host`.',
    }),
  ),
  quiet_hours: Type.Optional(QuietHours),
};

/** An alert rule as the API returns it. */
export const AlertRecord = Type.Object(
  {
    id: Id('The id of the alert rule.'),
    name: Type.String(),
    enabled: Type.Boolean(),
    condition: ConditionMember,
    minutes: Nullable(Type.Integer({ description: 'How long the problem has to last.' })),
    webhook_ids: Nullable(Type.Array(Type.Integer(), { description: 'Null for all webhooks.' })),
    email_to: Type.Array(Type.String()),
    target: Type.Union(
      [
        Type.Object(
          { format: FormatMember, origin: Type.String({ description: 'Scheme, host and port of the URL.' }) },
          {
            title: 'AlertTarget',
            description:
              'Where notices are posted. The URL itself is never returned, because it often contains a token.',
          },
        ),
        Type.Null(),
      ],
      { description: 'Null if nothing is posted.' },
    ),
    quiet_hours: QuietHours,
    quiet_now: Type.Boolean({ description: 'Whether these are quiet hours.' }),
    firing: Type.Integer({ description: 'For how many webhooks or parts of the service it is firing.' }),
    last_notices: Type.Array(NoticeRecord, {
      description: 'The latest notice of each channel that the rule has.',
    }),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { title: 'Alert', ...HAS_ETAG, description: 'An alert rule: what it watches, and who is notified.' },
);
export type AlertRecord = Static<typeof AlertRecord>;

const TargetInput = Nullable(
  Type.Object(
    {
      format: FormatMember,
      url: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_URL_LENGTH,
          description: 'The http or https URL. Never returned. An update that omits it keeps the stored one.',
        }),
      ),
      origin: Ignored(Type.String()),
    },
    {
      title: 'AlertTargetInput',
      additionalProperties: false,
      description: 'Where notices are posted. Defaults to null: nothing is posted.',
    },
  ),
);

/** The body of create and update. */
export const AlertInput = Type.Object(
  {
    ...configuration,
    target: Type.Optional(TargetInput),
    id: Ignored(AlertRecord.properties.id),
    quiet_now: Ignored(AlertRecord.properties.quiet_now),
    firing: Ignored(AlertRecord.properties.firing),
    last_notices: Ignored(AlertRecord.properties.last_notices),
    created_dt: Ignored(AlertRecord.properties.created_dt),
    updated_dt: Ignored(AlertRecord.properties.updated_dt),
  },
  { title: 'AlertInput', additionalProperties: false, description: 'The configuration of an alert rule.' },
);
export type AlertInput = Static<typeof AlertInput>;
