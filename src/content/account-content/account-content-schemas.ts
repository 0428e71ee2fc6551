import { type Static, Type } from 'typebox';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { DateTime, Id, Ignored } from '../../http/schemas.ts';

/** Assets that a request adds at most. */
const MAX_ADDED_AT_ONCE = 500;

const ContentTypeMember = Type.Enum([...CONTENT_TYPES]);
const AssetId = Id('The asset’s id.');
const AssetName = Type.String({ description: 'Its name.' });

/** The body of an addition. */
export const ContentAdditionBody = Type.Object(
  {
    contents: Type.Array(
      Type.Object(
        { type: ContentTypeMember, id: AssetId, name: Ignored(), location: Ignored(), added_dt: Ignored() },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_ADDED_AT_ONCE, description: 'What to add; none repeats.' },
    ),
  },
  { additionalProperties: false, description: 'Content to add to an account.' },
);

const NamedAssets = (description: string) =>
  Type.Array(Type.Object({ type: ContentTypeMember, id: AssetId, name: AssetName }), { description });

/** What an addition did. */
export const ContentAdditionRecord = Type.Object(
  {
    added: NamedAssets('What was added, in the order of the request.'),
    unchanged: NamedAssets('What the account had already: nothing was added and no event sent for it.'),
  },
  { description: 'What became of the content that was to be added.' },
);

/** An asset of an account, as the list gives it. */
export const AccountContentRecord = Type.Object(
  {
    type: ContentTypeMember,
    id: AssetId,
    name: AssetName,
    location: Type.String({
      description:
        'The names of the folders from Home down to the asset’s own, joined with “ > ”; a folder’s own name ends it.',
      examples: ['Home > Safety'],
    }),
    added_dt: DateTime('When it was added.'),
  },
  { description: 'An asset that an account was given.' },
);
export type AccountContentRecord = Static<typeof AccountContentRecord>;
