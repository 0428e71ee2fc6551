import { type Static, Type } from 'typebox';
import { FOCUS_TYPES, SUBTOPICS, TOPICS } from '../../events/catalogue.ts';
import {
  DateTime,
  Id,
  Ignored,
  Name,
  Nullable,
  OptionalDateTime,
  PLAIN_TEXT_PATTERN,
} from '../../http/schemas.ts';
import { LOGGING_MODES } from './logging-mode.ts';
import {
  AUTHENTICATION_TYPES,
  DEFAULT_LOGGING_MODE,
  DEFAULT_MAX_ATTEMPTS,
  MAX_ATTEMPTS,
  MIN_ATTEMPTS,
} from './webhook.ts';

/** Bounds of what a configuration may hold. */
const MAX_FOCUSES = 1_000;
const MAX_CREDENTIAL_LENGTH = 1_000;
const MAX_URL_LENGTH = 2_048;

const FocusInput = Type.Object(
  {
    webhook_focus_type: Type.Enum([...FOCUS_TYPES], { description: 'What kind of asset is focused.' }),
    webhook_focus_id: Id('The asset. It need not exist yet.'),
    webhook_focus_name: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 1_000,
          pattern: PLAIN_TEXT_PATTERN,
          description: 'Its name; where the asset exists, its present name reads back.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
);

const AuthenticationInput = Type.Object(
  {
    type: Type.Optional(Type.Enum([...AUTHENTICATION_TYPES], { description: 'NONE when left out.' })),
    key: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_CREDENTIAL_LENGTH, pattern: PLAIN_TEXT_PATTERN }),
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_CREDENTIAL_LENGTH,
        pattern: PLAIN_TEXT_PATTERN,
        description:
          'Never reads back. Left out of an update with the same key, the stored one stays; it is required again when the scheme, host or port of `target_url` changes.',
      }),
    ),
  },
  { additionalProperties: false },
);

const configuration = {
  name: Name('The webhook’s name.'),
  topic: Type.Enum([...TOPICS]),
  subtopics: Type.Optional(
    Type.Array(Type.Enum([...SUBTOPICS]), {
      maxItems: SUBTOPICS.length,
      description:
        'Which events of the topic, taken at its word. Left out: all, less those that the focus excludes.',
    }),
  ),
  all_subtopics: Type.Optional(
    Type.Boolean({
      description:
        'Tells a list of subtopics that was read from one that was chosen: with true, the list that a webhook of all ' +
        'shows still means all. With any other list, it has no effect. False needs a list.',
    }),
  ),
  focus: Type.Optional(
    Type.Array(FocusInput, {
      maxItems: MAX_FOCUSES,
      description:
        'Only events on these assets. One account and one content asset is enough; with both kinds, both must match.',
    }),
  ),
  target_url: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'Where postbacks go: http or https.',
  }),
  authentication: Type.Optional(AuthenticationInput),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the webhook is active; true when left out.' })),
  max_attempts: Type.Optional(
    Type.Integer({
      minimum: MIN_ATTEMPTS,
      maximum: MAX_ATTEMPTS,
      description: `Attempts before the dead-letter queue, or the queue’s redrive maximum where that is smaller; ${DEFAULT_MAX_ATTEMPTS} when left out.`,
    }),
  ),
  ignore_before_dt: Type.Optional(
    Nullable(
      Type.String({ maxLength: 40, description: 'ISO 8601: messages of earlier events are discarded.' }),
    ),
  ),
  logging_mode: Type.Optional(
    Type.Enum([...LOGGING_MODES], {
      description: `How deliveries are logged; ${DEFAULT_LOGGING_MODE} when left out.`,
    }),
  ),
};

/** Members of a record that reading gives and writing ignores, so that what was read can be sent back. */
const readOnlyMembers = {
  id: Ignored(),
  in_error: Ignored(),
  read_only: Ignored(),
  created_dt: Ignored(),
  updated_dt: Ignored(),
};

/** Section 2.2: the body of create and update. */
export const WebhookInput = Type.Object(
  { ...configuration, ...readOnlyMembers },
  { additionalProperties: false, description: 'A webhook’s configuration.' },
);
export type WebhookInput = Static<typeof WebhookInput>;

/** A webhook as reading gives it. */
export const WebhookRecord = Type.Object(
  {
    id: Id('The webhook’s id: `subscription_id` in its messages.'),
    name: Type.String(),
    topic: Type.Enum([...TOPICS]),
    subtopics: Type.Array(Type.Enum([...SUBTOPICS]), { description: 'The events that it gets now.' }),
    all_subtopics: Type.Boolean({
      description: 'True: all that the topic has, less what the focus excludes. False: an explicit list.',
    }),
    focus: Type.Array(
      Type.Object({
        webhook_focus_type: Type.Enum([...FOCUS_TYPES]),
        webhook_focus_id: Type.Integer(),
        webhook_focus_name: Nullable(Type.String()),
      }),
    ),
    target_url: Type.String(),
    authentication: Type.Object({
      type: Type.Enum([...AUTHENTICATION_TYPES]),
      key: Type.Optional(Type.String()),
    }),
    enabled: Type.Boolean(),
    max_attempts: Type.Integer(),
    ignore_before_dt: OptionalDateTime('Messages of earlier events are discarded.'),
    logging_mode: Type.Enum([...LOGGING_MODES]),
    in_error: Type.Boolean({ description: 'A failure since its last success or edit.' }),
    read_only: Type.Boolean({ description: 'True while the webhooks service is disabled.' }),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When its configuration was changed last.'),
  },
  { description: 'A webhook.' },
);

/** Section 2.3. */
export const StatisticsRecord = Type.Object(
  {
    statistics_valid_from_dt: DateTime('Start of the counting period.'),
    success_count: Type.Integer({ description: 'Successful deliveries.' }),
    last_success_dt: OptionalDateTime('The last success.'),
    error_count: Type.Integer({ description: 'Failed attempts.' }),
    last_error_dt: OptionalDateTime('The last failure.'),
    last_error_message: Nullable(Type.String({ description: 'The last failure in words.' })),
  },
  { description: 'A webhook’s statistics.' },
);
