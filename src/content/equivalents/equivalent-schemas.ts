import { type Static, Type } from 'typebox';
import { DateTime, Id, Ignored, Name } from '../../http/schemas.ts';

/** Courses that an equivalent holds at most: bounds what reading a page of them costs. */
const MAX_COURSES = 200;
const MAX_LANGUAGE_LENGTH = 100;

const LANGUAGE = 'A language tag (BCP 47).';

/** The body of create and update. */
export const EquivalentBody = Type.Object(
  {
    name: Name('The equivalent’s name.'),
    folder_id: Type.Optional(Id('The folder that it is in; the root, Home, when left out.')),
    courses: Type.Array(
      Type.Object(
        {
          course_id: Id('The course in this language.'),
          language: Type.String({
            minLength: 1,
            maxLength: MAX_LANGUAGE_LENGTH,
            description: `${LANGUAGE} It is kept in its canonical spelling, and no language repeats.`,
            examples: ['de-CH'],
          }),
          name: Ignored(),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_COURSES, description: 'One course a language.' },
    ),
    id: Ignored(),
    location: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'An equivalent, as it is to be.' },
);
export type EquivalentBody = Static<typeof EquivalentBody>;

/** An equivalent as reading gives it. */
export const EquivalentRecord = Type.Object(
  {
    id: Id('The equivalent’s id.'),
    name: Type.String(),
    folder_id: Id('The folder that it is in.'),
    location: Type.String({
      description: 'The names of the folders from Home down to the equivalent’s own, joined with “ > ”.',
      examples: ['Home > Safety'],
    }),
    courses: Type.Array(
      Type.Object({
        course_id: Id('The course in this language.'),
        language: Type.String({ description: LANGUAGE }),
        name: Type.String({ description: 'The course’s name.' }),
      }),
      { description: 'In the order that they were given in.' },
    ),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was changed last.'),
  },
  { description: 'An equivalent: one course in several languages.' },
);
export type EquivalentRecord = Static<typeof EquivalentRecord>;
