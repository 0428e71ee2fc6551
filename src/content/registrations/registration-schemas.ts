import { type Static, Type } from 'typebox';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, Id, Ignored, Nullable, OptionalDateTime, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';
import { COMPLETIONS, MAX_LEARNER_ID_LENGTH, MAX_SCORE, MIN_SCORE, SUCCESSES } from './registration.ts';

/** Keeps launch links short enough for every browser and proxy. */
const MAX_RETURN_URL_LENGTH = 1_000;
/** Longer language tags do not exist in practice. */
const MAX_LANGUAGE_LENGTH = 100;
/** Room for a date and time with nanoseconds and a zone. */
const MAX_DATE_TIME_LENGTH = 40;

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
      Id('The course. The learner gets its published version. Either this or `equivalent_id` is required.'),
    ),
    equivalent_id: Type.Optional(
      Id('The equivalent. The learner gets the course in the language of the launch, or chooses one.'),
    ),
    learner_id: LearnerId('The id that your systems use for the learner.'),
  },
  { additionalProperties: false, description: 'The registration of a learner for a course.' },
);
export type RegistrationInput = Static<typeof RegistrationInput>;

/** The query members of the list. Unknown ones are rejected: a typing error in a filter must not mean “all”. */
export const RegistrationQuery = Type.Object(
  {
    ...PageQuery.properties,
    account_id: Type.Optional(Id('Only registrations of this account.')),
    course_id: Type.Optional(Id('Only registrations for this course.')),
    learner_id: Type.Optional(LearnerId('Only registrations of this learner.')),
  },
  { additionalProperties: false },
);
export type RegistrationQuery = Static<typeof RegistrationQuery>;

/** The body of a status update. */
export const StatusInput = Type.Object(
  {
    completion: Type.Enum([...COMPLETIONS]),
    success: Type.Enum([...SUCCESSES]),
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
      Nullable(
        Type.String({
          maxLength: MAX_DATE_TIME_LENGTH,
          description:
            'ISO 8601 with a time zone. Defaults to the time of the first completion, which is now ' +
            'if this update completes it.',
        }),
      ),
    ),
    registration_id: Ignored(),
    account_id: Ignored(),
    course_id: Ignored(),
    version_id: Ignored(),
    equivalent_id: Ignored(),
    language: Ignored(),
    learner_id: Ignored(),
    launched_dt: Ignored(),
    attempt: Ignored(),
    units: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'The new status of a registration.' },
);
export type StatusInput = Static<typeof StatusInput>;

/** A registration as the API returns it. */
export const RegistrationRecord = Type.Object(
  {
    registration_id: Type.String({ format: 'uuid', description: 'The id of the registration.' }),
    account_id: Id('The account of the learner.'),
    course_id: Id('The course.'),
    version_id: Type.Integer({
      minimum: 0,
      description: 'The version of the course that was published when the registration was created.',
    }),
    equivalent_id: Nullable(Id('The equivalent that it is for, or null if it is for a course.')),
    language: Nullable(
      Type.String({
        description:
          'The language that was chosen of the equivalent. Until then it is null, and `course_id` is the first ' +
          'course of the equivalent.',
      }),
    ),
    learner_id: Type.String({ description: 'The learner.' }),
    completion: Type.Enum([...COMPLETIONS]),
    success: Type.Enum([...SUCCESSES]),
    score: Nullable(Type.Number({ description: `${MIN_SCORE} to ${MAX_SCORE}, or null if there is none.` })),
    duration: Type.Integer({ description: 'In whole seconds.' }),
    completion_dt: OptionalDateTime('When it was first completed.'),
    launched_dt: OptionalDateTime('When it was first launched.'),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { description: 'The registration of a learner for a course.' },
);
export type RegistrationRecord = Static<typeof RegistrationRecord>;

/** A unit of a registration's latest attempt. */
export const RegistrationUnitRecord = Type.Object(
  {
    unit_id: Type.String({ description: 'The identifier of the unit in the course’s manifest.' }),
    title: Type.String(),
    completion: Type.Enum([...COMPLETIONS]),
    success: Type.Enum([...SUCCESSES]),
    score: Nullable(Type.Number({ description: `${MIN_SCORE} to ${MAX_SCORE}; null while there is none.` })),
    duration: Type.Integer({ description: 'Whole seconds, over all visits.' }),
    completion_dt: OptionalDateTime('When it was completed first.'),
    opened_dt: OptionalDateTime('When the learner opened it first; null before that.'),
  },
  { description: 'A unit of the course, as far as the learner got in the latest attempt.' },
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
  { description: 'A learner’s registration to a course, with its units.' },
);
export type RegistrationWithUnitsRecord = Static<typeof RegistrationWithUnitsRecord>;

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
              'also takes http:// URLs on loopback. Without it, the player shows what was recorded.',
          }),
        ),
      ),
      language: Type.Optional(
        Nullable(
          Type.String({
            maxLength: MAX_LANGUAGE_LENGTH,
            description:
              'For a registration of an equivalent: the language (BCP 47) that the learner gets. Without it, or ' +
              'if several courses match, the browser’s languages decide, and otherwise the learner chooses. Ignored ' +
              'once a language was chosen.',
          }),
        ),
      ),
    },
    { additionalProperties: false, description: 'How the course is launched.' },
  ),
);
export type LaunchInput = Static<typeof LaunchInput>;

/** The answer to a launch. */
export const LaunchRecord = Type.Object(
  {
    launch_url: Type.String({
      format: 'uri',
      description:
        'Opens the course for the learner. Anyone with the URL can open it: give it only to the learner.',
    }),
    expires_dt: DateTime('When the URL expires.'),
  },
  { description: 'A launch URL.' },
);
export type LaunchRecord = Static<typeof LaunchRecord>;
