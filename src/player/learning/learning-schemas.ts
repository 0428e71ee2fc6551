import { type Static, Type } from 'typebox';
import { Completion, Success } from '../../content/registrations/registration-schemas.ts';
import { DateTime, Nullable, OptionalDateTime, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';

/** What a unit of an attempt left, as it is stored. */
const RuntimeUnitRecord = Type.Object(
  {
    unit_id: Type.String({ description: 'The identifier of the unit in the course’s manifest.' }),
    completion: Completion,
    success: Success,
    score: Nullable(Type.Number()),
    duration_ms: Type.Integer({ description: 'Milliseconds, over all visits.' }),
    completion_dt: OptionalDateTime('When it was completed first.'),
    opened_dt: DateTime('When the learner opened it first.'),
    updated_dt: DateTime('When it last said something.'),
    data: Type.Unknown({
      description:
        'The data model of the standard as the course left it: `cmi` for SCORM. Null before it said anything.',
    }),
  },
  { title: 'RuntimeUnit', description: 'What a unit of an attempt left.' },
);

/** The raw data of a registration. */
export const RuntimeRecord = Type.Object(
  {
    attempts: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer({ minimum: 1, description: 'Counts from 1.' }),
          version_id: Type.Integer({ minimum: 0, description: 'The version of the course that was played.' }),
          started_dt: DateTime('When the learner began.'),
          ended_dt: OptionalDateTime('When a reset ended it; null for the attempt that goes on.'),
          state: Type.Unknown({
            description: 'What is kept for all units together, such as global objectives.',
          }),
          units: Type.Array(RuntimeUnitRecord, { description: 'The units that were opened.' }),
        },
        { title: 'RuntimeAttempt', description: 'An attempt of the learner.' },
      ),
      { description: 'Every attempt, oldest first.' },
    ),
  },
  { title: 'RegistrationRuntime', description: 'What the course said, as it said it.' },
);
export type RuntimeRecord = Static<typeof RuntimeRecord>;

/** A statement of a registration. */
export const StatementRecord = Type.Object(
  {
    statement_id: Type.String({ description: 'The id of the statement.' }),
    stored_dt: DateTime('When it was stored.'),
    sentence: Type.String({ description: 'The statement in English words, for people.' }),
    voided: Type.Boolean({ description: 'Whether another statement has voided it.' }),
    statement: Type.Unknown({ description: 'The statement as the Experience API (xAPI) has it.' }),
  },
  { title: 'Statement', description: 'An xAPI statement.' },
);
export type StatementRecord = Static<typeof StatementRecord>;

const MAX_UNIT_ID_LENGTH = 4_096;
const MAX_REASON_LENGTH = 500;

/** The body of a waiver. */
export const WaiverInput = Type.Object(
  {
    unit_id: Type.String({
      minLength: 1,
      maxLength: MAX_UNIT_ID_LENGTH,
      description: 'The identifier of the unit, as the registration lists it.',
    }),
    reason: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: MAX_REASON_LENGTH,
          pattern: PLAIN_TEXT_PATTERN,
          description:
            'Why the unit is waived; stored in the statement. cmi5 suggests `Tested Out`, `Equivalent AU`, ' +
            '`Equivalent Outside Activity` and `Administrative`, which is the default.',
        }),
      ),
    ),
  },
  { additionalProperties: false, title: 'WaiverInput', description: 'A unit that the learner need not do.' },
);
