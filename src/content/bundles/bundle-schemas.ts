import { type Static, Type } from 'typebox';
import { DateTime, Id, Ignored, Name } from '../../http/schemas.ts';
import { BUNDLED_TYPES } from './bundle.ts';

/** Contents that a bundle holds at most: bounds what reading a page of them costs. */
const MAX_CONTENTS = 200;

const BundledType = Type.Enum([...BUNDLED_TYPES]);

/** The body of create and update. */
export const BundleBody = Type.Object(
  {
    name: Name('The bundle’s name.'),
    folder_id: Type.Optional(Id('The folder that it is in; the root, Home, when left out.')),
    contents: Type.Array(
      Type.Object(
        { type: BundledType, id: Id('The course’s or equivalent’s id.'), name: Ignored() },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_CONTENTS, description: 'Courses and equivalents; none repeats.' },
    ),
    id: Ignored(),
    location: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'A bundle, as it is to be.' },
);
export type BundleBody = Static<typeof BundleBody>;

/** A bundle as reading gives it. */
export const BundleRecord = Type.Object(
  {
    id: Id('The bundle’s id.'),
    name: Type.String(),
    folder_id: Id('The folder that it is in.'),
    location: Type.String({
      description: 'The names of the folders from Home down to the bundle’s own, joined with “ > ”.',
      examples: ['Home > Safety'],
    }),
    contents: Type.Array(
      Type.Object({
        type: BundledType,
        id: Id('The course’s or equivalent’s id.'),
        name: Type.String({ description: 'Its name.' }),
      }),
      { description: 'In the order that they were given in.' },
    ),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was changed last.'),
  },
  { description: 'A bundle: courses and equivalents that go together.' },
);
export type BundleRecord = Static<typeof BundleRecord>;
