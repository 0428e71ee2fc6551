import { type Static, Type } from 'typebox';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { DateTime, Id, Ignored } from '../../http/schemas.ts';

/** Maximum number of assets that a request can add. */
const MAX_ADDED_AT_ONCE = 500;

/** The type of a piece of content. */
export const ContentTypeMember = Type.Enum([...CONTENT_TYPES], { title: 'ContentType' });
const AssetId = Id('The id of the content.');
const AssetName = Type.String({ description: 'Its name.' });

/** The body of an addition. */
export const ContentAdditionBody = Type.Object(
  {
    contents: Type.Array(
      Type.Object(
        {
          type: ContentTypeMember,
          id: AssetId,
          name: Ignored(AssetName),
          location: Ignored(Type.String()),
          added_dt: Ignored(DateTime('')),
        },
        {
          title: 'AccountContentInput',
          additionalProperties: false,
          description: 'A piece of content to add.',
        },
      ),
      { minItems: 1, maxItems: MAX_ADDED_AT_ONCE, description: 'The content to add, without duplicates.' },
    ),
  },
  {
    additionalProperties: false,
    title: 'AccountContentAdditionInput',
    description: 'Content to add to an account.',
  },
);

const NamedAssets = (description: string) =>
  Type.Array(
    Type.Object(
      { type: ContentTypeMember, id: AssetId, name: AssetName },
      { title: 'ContentReference', description: 'A piece of content.' },
    ),
    { description },
  );

/** The result of an addition. */
export const ContentAdditionRecord = Type.Object(
  {
    added: NamedAssets('The content that was added, in the order of the request.'),
    unchanged: NamedAssets('The content that the account already had. It triggers no event.'),
  },
  { title: 'AccountContentAddition', description: 'The result of adding content.' },
);
export type ContentAdditionRecord = Static<typeof ContentAdditionRecord>;

/** An asset of an account, as the list returns it. */
export const AccountContentRecord = Type.Object(
  {
    type: ContentTypeMember,
    id: AssetId,
    name: AssetName,
    location: Type.String({
      description:
        'The path from Home of the folder that contains it, joined with “ > ”. Empty for Home itself.',
      examples: ['Home > Safety'],
    }),
    added_dt: DateTime('When it was added.'),
  },
  { title: 'AccountContent', description: 'A piece of content of an account.' },
);
export type AccountContentRecord = Static<typeof AccountContentRecord>;
