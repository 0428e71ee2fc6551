import { type Static, Type } from 'typebox';
import { DateTime, HAS_ETAG, Id, Ignored, Name } from '../../http/schemas.ts';
import { BUNDLED_TYPES, MAX_BUNDLE_CONTENTS } from './bundle.ts';

const BundledType = Type.Enum([...BUNDLED_TYPES], { title: 'BundledType' });

/** A bundle as the API returns it. */
export const BundleRecord = Type.Object(
  {
    id: Id('The id of the bundle.'),
    name: Type.String(),
    folder_id: Id('The folder that contains it.'),
    location: Type.String({
      description: 'The folder path from Home, joined with “ > ”.',
      examples: ['Home > Safety'],
    }),
    contents: Type.Array(
      Type.Object(
        {
          type: BundledType,
          id: Id('The id of the course or equivalent.'),
          name: Type.String({ description: 'Its name.' }),
        },
        { title: 'BundleContent', description: 'A course or equivalent of a bundle.' },
      ),
      { description: 'In the order in which they were set.' },
    ),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { title: 'Bundle', ...HAS_ETAG, description: 'A bundle: courses and equivalents that belong together.' },
);
export type BundleRecord = Static<typeof BundleRecord>;

/** The body of create and update. */
export const BundleBody = Type.Object(
  {
    name: Name('The name of the bundle.'),
    folder_id: Type.Optional(Id('The folder that contains it. Defaults to the root folder, Home.')),
    contents: Type.Array(
      Type.Object(
        { type: BundledType, id: Id('The id of the course or equivalent.'), name: Ignored(Type.String()) },
        {
          title: 'BundleContentInput',
          additionalProperties: false,
          description: 'A course or equivalent of a bundle.',
        },
      ),
      {
        minItems: 1,
        maxItems: MAX_BUNDLE_CONTENTS,
        description: 'Courses and equivalents, without duplicates.',
      },
    ),
    id: Ignored(BundleRecord.properties.id),
    location: Ignored(BundleRecord.properties.location),
    created_dt: Ignored(BundleRecord.properties.created_dt),
    updated_dt: Ignored(BundleRecord.properties.updated_dt),
  },
  { additionalProperties: false, title: 'BundleInput', description: 'Bundle to create or update.' },
);
export type BundleBody = Static<typeof BundleBody>;
