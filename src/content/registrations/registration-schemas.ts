import { type Static, Type } from 'typebox';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, Id, Ignored, Nullable, OptionalDateTime, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';
import { COMPLETIONS, MAX_LEARNER_ID_LENGTH, MAX_SCORE, MIN_SCORE, SUCCESSES } from './registration.ts';

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
    account_id: Id('The account that the learner learns for. It is enabled and holds the course.'),
    course_id: Id('The course. Its published version is the one that the learner gets.'),
    learner_id: LearnerId('The learner, as your systems name them.'),
  },
  { additionalProperties: false, description: 'A learner’s registration to a course.' },
);
export type RegistrationInput = Static<typeof RegistrationInput>;

/** The query members of the list. Unknown ones are refused: a typing error in a filter must not mean “all”. */
export const RegistrationQuery = Type.Object(
  {
    ...PageQuery.properties,
    account_id: Type.Optional(Id('Only registrations of this account.')),
    course_id: Type.Optional(Id('Only registrations to this course.')),
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
        Type.Number({ minimum: MIN_SCORE, maximum: MAX_SCORE, description: 'None when left out or null.' }),
      ),
    ),
    duration: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Whole seconds; 0 when left out.',
      }),
    ),
    completion_dt: Type.Optional(
      Nullable(
        Type.String({
          maxLength: MAX_DATE_TIME_LENGTH,
          description:
            'ISO 8601 with a time zone. When left out or null: the moment it was completed first, which is now ' +
            'when this update completes it.',
        }),
      ),
    ),
    registration_id: Ignored(),
    account_id: Ignored(),
    course_id: Ignored(),
    version_id: Ignored(),
    learner_id: Ignored(),
    launched_dt: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'A registration’s status, as it is to be.' },
);
export type StatusInput = Static<typeof StatusInput>;

/** A registration as reading gives it. */
export const RegistrationRecord = Type.Object(
  {
    registration_id: Type.String({ format: 'uuid', description: 'The registration’s id.' }),
    account_id: Id('The account that the learner learns for.'),
    course_id: Id('The course.'),
    version_id: Type.Integer({
      minimum: 0,
      description: 'The version of the course that was published when the registration was made.',
    }),
    learner_id: Type.String({ description: 'The learner.' }),
    completion: Type.Enum([...COMPLETIONS]),
    success: Type.Enum([...SUCCESSES]),
    score: Nullable(Type.Number({ description: `${MIN_SCORE} to ${MAX_SCORE}; null while there is none.` })),
    duration: Type.Integer({ description: 'Whole seconds.' }),
    completion_dt: OptionalDateTime('When it was completed first.'),
    launched_dt: OptionalDateTime('When it was launched first.'),
    created_dt: DateTime('When it was made.'),
    updated_dt: DateTime('When it was changed last.'),
  },
  { description: 'A learner’s registration to a course.' },
);
export type RegistrationRecord = Static<typeof RegistrationRecord>;

/** The answer to a launch. */
export const LaunchRecord = Type.Object(
  {
    launch_url: Type.String({
      format: 'uri',
      description:
        'Opens the course for the learner. Whoever has it can open it: give it to the learner only.',
    }),
    expires_dt: DateTime('Until when it can be opened.'),
  },
  { description: 'An allowed launch.' },
);
