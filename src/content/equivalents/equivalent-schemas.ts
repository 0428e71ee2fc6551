import { type Static, Type } from 'typebox';
import { DateTime, HAS_ETAG, Id, Ignored, Name } from '../../http/schemas.ts';
import { MAX_EQUIVALENT_COURSES } from './equivalent.ts';
import { MAX_LANGUAGE_LENGTH } from './language.ts';

const LANGUAGE = 'A language tag (BCP 47).';

/** An equivalent as the API returns it. */
export const EquivalentRecord = Type.Object(
  {
    id: Id('The id of the equivalent.'),
    name: Type.String(),
    folder_id: Id('The folder that contains it.'),
    location: Type.String({
      description: 'The folder path from Home, joined with “ > ”.',
      examples: ['Home > Safety'],
    }),
    courses: Type.Array(
      Type.Object(
        {
          course_id: Id('The course in this language.'),
          language: Type.String({ description: LANGUAGE }),
          name: Type.String({ description: 'The name of the course.' }),
        },
        { title: 'EquivalentCourse', description: 'A course of an equivalent.' },
      ),
      { description: 'In the order in which they were set.' },
    ),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { title: 'Equivalent', ...HAS_ETAG, description: 'An equivalent: one course in several languages.' },
);
export type EquivalentRecord = Static<typeof EquivalentRecord>;

/** The body of create and update. */
export const EquivalentBody = Type.Object(
  {
    name: Name('The name of the equivalent.'),
    folder_id: Type.Optional(Id('The folder that contains it. Defaults to the root folder, Home.')),
    courses: Type.Array(
      Type.Object(
        {
          course_id: Id('The course in this language.'),
          language: Type.String({
            minLength: 1,
            maxLength: MAX_LANGUAGE_LENGTH,
            description: `${LANGUAGE} Stored in its canonical form. No two courses may have the same language.`,
            examples: ['de-CH'],
          }),
          name: Ignored(Type.String()),
        },
        {
          title: 'EquivalentCourseInput',
          additionalProperties: false,
          description: 'A course of an equivalent.',
        },
      ),
      { minItems: 1, maxItems: MAX_EQUIVALENT_COURSES, description: 'One course per language.' },
    ),
    id: Ignored(EquivalentRecord.properties.id),
    location: Ignored(EquivalentRecord.properties.location),
    created_dt: Ignored(EquivalentRecord.properties.created_dt),
    updated_dt: Ignored(EquivalentRecord.properties.updated_dt),
  },
  { additionalProperties: false, title: 'EquivalentInput', description: 'Equivalent to create or update.' },
);
export type EquivalentBody = Static<typeof EquivalentBody>;
