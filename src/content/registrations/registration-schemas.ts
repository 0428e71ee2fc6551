import { type Static, Type } from 'typebox';
import { PageQuery } from '../../http/paging.ts';
import {
  DateTime,
  DateTimeInput,
  HAS_ETAG,
  Id,
  Ignored,
  Nullable,
  OptionalDateTime,
  PLAIN_TEXT_PATTERN,
} from '../../http/schemas.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../text-lengths.ts';
import { MAX_LANGUAGE_LENGTH } from '../equivalents/language.ts';
import { COMPLETIONS, MAX_SCORE, MIN_SCORE, REGISTRATION_LAUNCH_MODES, SUCCESSES } from './registration.ts';
import { MAX_RETURN_URL_LENGTH } from './return-url.ts';

/** A completion in requests and responses. */
export const Completion = Type.Enum([...COMPLETIONS], { title: 'Completion' });
/** A success in requests and responses. */
export const Success = Type.Enum([...SUCCESSES], { title: 'Success' });

function LearnerId(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: MAX_LEARNER_ID_LENGTH,
    pattern: PLAIN_TEXT_PATTERN,
    description,
  });
}

/** The body of create. */
export const RegistrationInput = Type.Object(
  {
    account_id: Id('The account of the learner. It must be enabled and have the course.'),
    course_id: Type.Optional(
      Id('The course. The learner gets its published version. Required, unless `equivalent_id` is sent.'),
    ),
    equivalent_id: Type.Optional(
      Id(
        'The equivalent. The learner gets the course in the language of the launch, or chooses one. Required, unless ' +
          '`course_id` is sent.',
      ),
    ),
    learner_id: LearnerId(
      'The id that your systems use for the learner. Courses get it as the id and as the name of the learner. It cannot be ' +
        'changed later.',
    ),
  },
  {
    additionalProperties: false,
    title: 'RegistrationInput',
    description:
      'The registration of a learner for a course or an equivalent. Exactly one of `course_id` and `equivalent_id` is required.',
  },
);
export type RegistrationInput = Static<typeof RegistrationInput>;

/** The query members of the list. Unknown ones are rejected: a typing error in a filter must not mean “all”. */
export const RegistrationQuery = Type.Object(
  {
    ...PageQuery.properties,
    account_id: Type.Optional(Id('Only registrations of this account.')),
    course_id: Type.Optional(Id('Only registrations for this course.')),
    equivalent_id: Type.Optional(Id('Only registrations for this equivalent, in every language.')),
    learner_id: Type.Optional(LearnerId('Only registrations of this learner.')),
  },
  { additionalProperties: false },
);
export type RegistrationQuery = Static<typeof RegistrationQuery>;

/** A registration as the API returns it. */
export const RegistrationRecord = Type.Object(
  {
    registration_id: Type.String({ format: 'uuid', description: 'The id of the registration.' }),
    account_id: Id('The account of the learner.'),
    course_id: Id('The course.'),
    version_id: Type.Integer({
      minimum: 0,
      description:
        'The version of the course that was published when the registration was created or last reset. If the course of an equivalent was chosen since then, the version that was published at that time.',
    }),
    equivalent_id: Nullable(Id('The equivalent that it is for, or null if it is for a course.')),
    language: Nullable(
      Type.String({
        description:
          'The chosen language of the equivalent. Until one is chosen, it is null, and `course_id` is the course that ' +
          'was the first of the equivalent when the registration was created, launched or reset.',
      }),
    ),
    learner_id: Type.String({ description: 'The learner.' }),
    completion: Completion,
    success: Success,
    score: Nullable(Type.Number({ description: `${MIN_SCORE} to ${MAX_SCORE}, or null if there is none.` })),
    duration: Type.Integer({ description: 'In whole seconds.' }),
    completion_dt: OptionalDateTime('When it was first completed.'),
    launched_dt: OptionalDateTime('When it was first launched.'),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { title: 'Registration', ...HAS_ETAG, description: 'The registration of a learner for a course.' },
);
export type RegistrationRecord = Static<typeof RegistrationRecord>;

/** A unit of a registration's latest attempt. */
export const RegistrationUnitRecord = Type.Object(
  {
    unit_id: Type.String({ description: 'The identifier of the unit in the course’s manifest.' }),
    title: Type.String(),
    completion: Completion,
    success: Success,
    score: Nullable(Type.Number({ description: `${MIN_SCORE} to ${MAX_SCORE}; null while there is none.` })),
    duration: Type.Integer({ description: 'Whole seconds, over all visits.' }),
    completion_dt: OptionalDateTime('When it was first completed.'),
    opened_dt: OptionalDateTime('When the learner first opened it; null before that.'),
    waived: Type.Boolean({ description: 'Whether the learner was excused from it (cmi5).' }),
    waivable: Type.Boolean({
      description: 'Whether it can be waived: a unit of a cmi5 course that is not satisfied.',
    }),
  },
  {
    title: 'RegistrationUnit',
    description: 'A unit of the course, with the learner’s progress in the latest attempt.',
  },
);
export type RegistrationUnitRecord = Static<typeof RegistrationUnitRecord>;

/** A registration with its units. */
export const RegistrationWithUnitsRecord = Type.Object(
  {
    ...RegistrationRecord.properties,
    attempt: Type.Integer({
      minimum: 0,
      description: 'The number of the latest attempt; 0 before the first.',
    }),
    units: Type.Array(RegistrationUnitRecord, { description: 'The units of the course, in their order.' }),
  },
  {
    title: 'RegistrationDetails',
    ...HAS_ETAG,
    description: 'A learner’s registration for a course, with its units.',
  },
);
export type RegistrationWithUnitsRecord = Static<typeof RegistrationWithUnitsRecord>;

/** The body of a status update. */
export const StatusInput = Type.Object(
  {
    completion: Completion,
    success: Success,
    score: Type.Optional(
      Nullable(
        Type.Number({
          minimum: MIN_SCORE,
          maximum: MAX_SCORE,
          description: 'Defaults to null, which means no score.',
        }),
      ),
    ),
    duration: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'In whole seconds. Defaults to 0.',
      }),
    ),
    completion_dt: Type.Optional(
      DateTimeInput(
        'ISO 8601 with a time zone. Defaults to the time of the first completion, which is now ' +
          'if this update completes it.',
      ),
    ),
    registration_id: Ignored(RegistrationWithUnitsRecord.properties.registration_id),
    account_id: Ignored(RegistrationWithUnitsRecord.properties.account_id),
    course_id: Ignored(RegistrationWithUnitsRecord.properties.course_id),
    version_id: Ignored(RegistrationWithUnitsRecord.properties.version_id),
    equivalent_id: Ignored(RegistrationWithUnitsRecord.properties.equivalent_id),
    language: Ignored(RegistrationWithUnitsRecord.properties.language),
    learner_id: Ignored(RegistrationWithUnitsRecord.properties.learner_id),
    launched_dt: Ignored(RegistrationWithUnitsRecord.properties.launched_dt),
    attempt: Ignored(RegistrationWithUnitsRecord.properties.attempt),
    units: Ignored(RegistrationWithUnitsRecord.properties.units),
    created_dt: Ignored(RegistrationWithUnitsRecord.properties.created_dt),
    updated_dt: Ignored(RegistrationWithUnitsRecord.properties.updated_dt),
  },
  {
    additionalProperties: false,
    title: 'RegistrationStatusInput',
    description: 'The new status of a registration.',
  },
);
export type StatusInput = Static<typeof StatusInput>;

/** The optional body of a launch. */
export const LaunchInput = Nullable(
  Type.Object(
    {
      return_url: Type.Optional(
        Nullable(
          Type.String({
            maxLength: MAX_RETURN_URL_LENGTH,
            description:
              'Where the player leads when the learner exits: an https:// URL. A service that listens on loopback ' +
              'also accepts http:// URLs on loopback. The limit applies to the percent-encoded form, too. Without it, ' +
              'the player shows the recorded result.',
          }),
        ),
      ),
      language: Type.Optional(
        Nullable(
          Type.String({
            maxLength: MAX_LANGUAGE_LENGTH,
            description:
              'For a registration of an equivalent: the language (BCP 47) that the learner gets. Without it, or among ' +
              'several courses that match, the browser’s languages decide, and otherwise the learner chooses. It replaces ' +
              'the language of an earlier call, until the learner has opened a course or has a result.',
          }),
        ),
      ),
      mode: Type.Optional(
        Type.Enum([...REGISTRATION_LAUNCH_MODES], {
          title: 'LaunchMode',
          description:
            'How the course is played: `normal` (the default) records results; `browse` and `review` let the learner ' +
            'look around, and record none. The course reads it as its launch mode or lesson mode.',
        }),
      ),
    },
    { additionalProperties: false, title: 'LaunchInput', description: 'Options of a launch.' },
  ),
);
export type LaunchInput = Static<typeof LaunchInput>;

/** The response to a launch. */
export const LaunchRecord = Type.Object(
  {
    launch_url: Type.String({
      format: 'uri',
      description:
        'Opens the course for the learner. Anyone with the URL can open it: give it only to the learner.',
    }),
    expires_dt: DateTime('When the URL expires.'),
  },
  { title: 'Launch', description: 'A launch URL.' },
);
export type LaunchRecord = Static<typeof LaunchRecord>;
