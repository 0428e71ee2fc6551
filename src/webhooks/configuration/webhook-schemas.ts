import { type Static, Type } from 'typebox';
import { FOCUS_TYPES, SUBTOPICS, TOPICS } from '../../events/catalogue.ts';
import {
  DateTime,
  DateTimeInput,
  describedAs,
  HAS_ETAG,
  Id,
  Ignored,
  Name,
  Nullable,
  OptionalDateTime,
  PLAIN_TEXT_PATTERN,
} from '../../http/schemas.ts';
import { MAX_CREDENTIAL_LENGTH, MAX_NAME_LENGTH, MAX_URL_LENGTH } from '../../text-lengths.ts';
import { LOGGING_MODES } from './logging-mode.ts';
import {
  AUTHENTICATION_TYPES,
  DEFAULT_LOGGING_MODE,
  DEFAULT_MAX_ATTEMPTS,
  MAX_ATTEMPTS,
  MAX_FOCUSES,
  MIN_ATTEMPTS,
} from './webhook.ts';

export const TopicMember = Type.Enum([...TOPICS], {
  title: 'Topic',
  description: 'What the events are about.',
});
export const SubtopicMember = Type.Enum([...SUBTOPICS], { title: 'Subtopic', description: 'An event.' });
const FocusType = Type.Enum([...FOCUS_TYPES], {
  title: 'FocusType',
  description: 'Account, or a type of content.',
});
const AuthenticationType = Type.Enum([...AUTHENTICATION_TYPES], {
  title: 'AuthenticationType',
  description: 'Whether postbacks have HTTP Basic credentials. Defaults to NONE.',
});
const LoggingMode = Type.Enum([...LOGGING_MODES], {
  title: 'LoggingMode',
  description: `How deliveries are logged. Defaults to ${DEFAULT_LOGGING_MODE}.`,
});

const FocusInput = Type.Object(
  {
    webhook_focus_type: FocusType,
    webhook_focus_id: Id('The id of the account or content, which need not exist yet.'),
    webhook_focus_name: Type.Optional(
      Nullable(
        Type.String({
          maxLength: MAX_NAME_LENGTH,
          pattern: PLAIN_TEXT_PATTERN,
          description: 'Its name. If the account or content exists, its current name is returned instead.',
        }),
      ),
    ),
  },
  {
    title: 'WebhookFocusInput',
    additionalProperties: false,
    description: 'An account or content to which a webhook is limited.',
  },
);

/**
 * Text without control characters and colons, for the API description. The service itself explains a colon better.
 */
const KEY_PATTERN = '^[^:\\x00-\\x1f\\x7f]*$';

const AuthenticationInput = Type.Object(
  {
    type: Type.Optional(AuthenticationType),
    key: Type.Optional(
      describedAs(
        Type.String({
          maxLength: MAX_CREDENTIAL_LENGTH,
          pattern: PLAIN_TEXT_PATTERN,
          description:
            'Required for type BASIC, without `:` (RFC 7617). If the stored credentials cannot be decrypted, it ' +
            'is returned empty. Only then can you send it back empty.',
        }),
        { type: 'string', maxLength: MAX_CREDENTIAL_LENGTH, pattern: KEY_PATTERN },
      ),
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_CREDENTIAL_LENGTH,
        pattern: PLAIN_TEXT_PATTERN,
        description:
          'Never returned. If an update with the same key omits it, the stored secret is kept. It is required again if the scheme, host or port of `target_url` changes.',
      }),
    ),
  },
  {
    title: 'WebhookAuthenticationInput',
    additionalProperties: false,
    description: 'How the service authenticates itself to the target.',
  },
);

const configuration = {
  name: Name('The name of the webhook.'),
  topic: TopicMember,
  subtopics: Type.Optional(
    describedAs(
      Type.Array(SubtopicMember, {
        maxItems: SUBTOPICS.length,
        description:
          'The events of the topic that are sent, without duplicates. Must not be empty. If omitted, all events are sent, ' +
          'except those that the focus excludes.',
      }),
      Type.Array(SubtopicMember, { minItems: 1, maxItems: SUBTOPICS.length }),
    ),
  ),
  all_subtopics: Type.Optional(
    Type.Boolean({
      description:
        'Whether `subtopics` means all subtopics. Send true with the list that was returned for all subtopics, ' +
        'and the webhook still sends all of them. With any other list, true has no effect. With false, ' +
        '`subtopics` is required.',
    }),
  ),
  focus: Type.Optional(
    Type.Array(FocusInput, {
      maxItems: MAX_FOCUSES,
      description:
        'Sends only events that match one of these accounts or pieces of content. With both accounts and content, ' +
        'an event must match one of each.',
    }),
  ),
  target_url: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'The http or https URL that postbacks are sent to.',
  }),
  authentication: Type.Optional(AuthenticationInput),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'Whether the webhook is active. Defaults to true. While it is inactive, events create no messages for it. ' +
        'Deactivating it discards its waiting messages.',
    }),
  ),
  paused: Type.Optional(
    Type.Boolean({
      description:
        'Whether delivery is paused. Defaults to false. While it is paused, events still create messages. ' +
        'The messages wait, and are sent in order once it is resumed.',
    }),
  ),
  max_attempts: Type.Optional(
    Type.Integer({
      minimum: MIN_ATTEMPTS,
      maximum: MAX_ATTEMPTS,
      description: `Attempts before a message is moved to the dead-letter queue. If the redrive maximum of the queue is smaller, it applies. A waiting message that has already failed this often is moved without another attempt. Defaults to ${DEFAULT_MAX_ATTEMPTS}.`,
    }),
  ),
  ignore_before_dt: Type.Optional(
    DateTimeInput('ISO 8601 with a time zone. Messages about earlier events are discarded.'),
  ),
  logging_mode: Type.Optional(LoggingMode),
};

/** A webhook as the API returns it. */
export const WebhookRecord = Type.Object(
  {
    id: Id('The id of the webhook, `subscription_id` in its messages.'),
    name: Type.String(),
    topic: TopicMember,
    subtopics: Type.Array(SubtopicMember, { description: 'The events that it currently sends.' }),
    all_subtopics: Type.Boolean({
      description:
        'True: all subtopics of the topic, except those that the focus excludes. False: an explicit list.',
    }),
    focus: Type.Array(
      Type.Object(
        {
          webhook_focus_type: FocusType,
          webhook_focus_id: Type.Integer(),
          webhook_focus_name: Nullable(Type.String()),
        },
        { title: 'WebhookFocus', description: 'An account or content to which a webhook is limited.' },
      ),
    ),
    target_url: Type.String(),
    authentication: Type.Object(
      { type: AuthenticationType, key: Type.Optional(Type.String()) },
      {
        title: 'WebhookAuthentication',
        description: 'How the service authenticates itself to the target. The secret is never returned.',
      },
    ),
    enabled: Type.Boolean(),
    inactive_since_dt: OptionalDateTime(
      'When it was deactivated. Null if it is active, or if it was deactivated by a release that did not record it.',
    ),
    paused: Type.Boolean({ description: 'Whether its messages wait until it is resumed.' }),
    paused_since_dt: OptionalDateTime('When it was paused. Null if it is not.'),
    max_attempts: Type.Integer(),
    ignore_before_dt: OptionalDateTime('Messages about earlier events are discarded.'),
    logging_mode: LoggingMode,
    signing_since_dt: OptionalDateTime('Since when its postbacks are signed. Null if they are not.'),
    former_signing_secret_until_dt: OptionalDateTime(
      'Until when postbacks are also signed with the old signing secret. Null if there is none.',
    ),
    in_error: Type.Boolean({ description: 'Whether an attempt has failed since the last success or edit.' }),
    read_only: Type.Boolean({ description: 'True while the webhooks service is disabled.' }),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When its configuration was last changed.'),
  },
  { title: 'Webhook', ...HAS_ETAG, description: 'A webhook.' },
);

/** Read-only members of a record, which are ignored on write, so that a record can be sent back as it was read. */
const readOnlyMembers = {
  id: Ignored(WebhookRecord.properties.id),
  signing_since_dt: Ignored(WebhookRecord.properties.signing_since_dt),
  former_signing_secret_until_dt: Ignored(WebhookRecord.properties.former_signing_secret_until_dt),
  in_error: Ignored(WebhookRecord.properties.in_error),
  inactive_since_dt: Ignored(WebhookRecord.properties.inactive_since_dt),
  paused_since_dt: Ignored(WebhookRecord.properties.paused_since_dt),
  read_only: Ignored(WebhookRecord.properties.read_only),
  created_dt: Ignored(WebhookRecord.properties.created_dt),
  updated_dt: Ignored(WebhookRecord.properties.updated_dt),
};

/** The body of create and update. */
export const WebhookInput = Type.Object(
  { ...configuration, ...readOnlyMembers },
  { additionalProperties: false, title: 'WebhookInput', description: 'A webhook’s configuration.' },
);
export type WebhookInput = Static<typeof WebhookInput>;

/** The statistics of a webhook as the API returns them. */
export const StatisticsRecord = Type.Object(
  {
    statistics_valid_from_dt: DateTime('Start of the counting period.'),
    success_count: Type.Integer({ description: 'Successful deliveries.' }),
    last_success_dt: OptionalDateTime('When the last delivery succeeded.'),
    error_count: Type.Integer({ description: 'Failed attempts.' }),
    last_error_dt: OptionalDateTime('When the last attempt failed.'),
    last_error_message: Nullable(Type.String({ description: 'Why the last attempt failed.' })),
  },
  { title: 'WebhookStatistics', description: 'A webhook’s statistics.' },
);
export type StatisticsRecord = Static<typeof StatisticsRecord>;
