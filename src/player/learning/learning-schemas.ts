import { type Static, Type } from 'typebox';
import { Completion, Success } from '../../content/registrations/registration-schemas.ts';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, describedAs, Nullable, OptionalDateTime, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';
import { MAX_UNIT_ID_LENGTH } from '../attempts/unit-ids.ts';

/** The stored data of a unit in an attempt. */
const RuntimeUnitRecord = Type.Object(
  {
    unit_id: Type.String({ description: 'The identifier of the unit in the course’s manifest.' }),
    completion: Completion,
    success: Success,
    score: Nullable(Type.Number()),
    duration_ms: Type.Integer({ description: 'Milliseconds, over all visits.' }),
    completion_dt: OptionalDateTime('When it was first completed.'),
    opened_dt: DateTime(
      'When the learner first opened it. For a unit of cmi5 that was waived or completed before, when that happened.',
    ),
    updated_dt: DateTime('When it last reported something.'),
    data: Type.Unknown({
      description:
        'The data model of the standard, as the course left it: `cmi` for SCORM. Null before the course reports anything.',
    }),
  },
  { title: 'RuntimeUnit', description: 'The raw data of a unit in an attempt.' },
);

/** The query parameters of the raw data. */
export const RuntimeQuery = Type.Object({
  ...PageQuery.properties,
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      title: 'AttemptOrder',
      description: '`asc`, the default, starts with the first attempt, `desc` with the latest.',
    }),
  ),
});

/** The raw data of a registration. */
export const RuntimeRecord = Type.Object(
  {
    attempts: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt, starting from 1.' }),
          version_id: Type.Integer({ minimum: 0, description: 'The version of the course that was played.' }),
          started_dt: DateTime('When the attempt started.'),
          ended_dt: OptionalDateTime('When a reset ended it; null for the current attempt.'),
          state: Type.Unknown({
            description:
              'Data that all units share, such as global objectives. Null if there is none, or if the page continues ' +
              'an attempt of the previous page.',
          }),
          units: Type.Array(RuntimeUnitRecord, {
            description: 'The units that were opened, in the order of opening. The next page may have more.',
          }),
        },
        { title: 'RuntimeAttempt', description: 'An attempt of the learner.' },
      ),
      { description: 'The attempts of this page, in the requested order.' },
    ),
    next_cursor: Nullable(
      Type.String({ description: 'The `cursor` of the next page. Null on the last page.' }),
    ),
  },
  { title: 'RegistrationRuntime', description: 'The unprocessed reports of the course.' },
);
export type RuntimeRecord = Static<typeof RuntimeRecord>;

/** A statement of a registration. */
export const StatementRecord = Type.Object(
  {
    statement_id: Type.String({ description: 'The id of the statement.' }),
    stored_dt: DateTime('When it was stored.'),
    sentence: Type.String({ description: 'The statement in English, for people.' }),
    voided: Type.Boolean({ description: 'Whether another statement has voided it.' }),
    statement: describedAs(
      Type.Unknown({ description: 'The statement in the form of the Experience API (xAPI).' }),
      { type: 'object', additionalProperties: true },
    ),
  },
  { title: 'Statement', description: 'An xAPI statement.' },
);
export type StatementRecord = Static<typeof StatementRecord>;

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
  {
    additionalProperties: false,
    title: 'WaiverInput',
    description: 'A unit from which the learner is excused.',
  },
);
