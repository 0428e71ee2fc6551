import { type Static, Type } from 'typebox';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { DateTime, Id, Ignored } from '../../http/schemas.ts';
import { LISTED_CONTENTS, MAX_ACCOUNTS_AT_ONCE } from './account-content.ts';

/** Maximum number of accounts times pieces of content in a request: what one transaction writes. */
export const MAX_PAIRS_AT_ONCE = 5_000;

/** The type of a piece of content. */
export const ContentTypeMember = Type.Enum([...CONTENT_TYPES], { title: 'ContentType' });
const AssetId = Id('The id of the content.');
const AssetName = Type.String({ description: 'Its name.' });

const ContentInput = (description: string) =>
  Type.Array(
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
        description: 'A piece of content to add or remove.',
      },
    ),
    { minItems: 1, maxItems: LISTED_CONTENTS.maxItems, description },
  );

/** The body of an addition. */
export const ContentAdditionBody = Type.Object(
  { contents: ContentInput('The content to add, without duplicates.') },
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

/** The body of a change of many accounts. */
export const ManyAccountsBody = Type.Object(
  {
    account_ids: Type.Array(Id('The id of an account.'), {
      minItems: 1,
      maxItems: MAX_ACCOUNTS_AT_ONCE,
      description: 'The accounts, without duplicates.',
    }),
    contents: ContentInput('The content, without duplicates.'),
  },
  {
    additionalProperties: false,
    title: 'ManyAccountsContentInput',
    description: `Accounts, and content for each of them: at most ${MAX_PAIRS_AT_ONCE.toLocaleString('en')} accounts times pieces of content.`,
  },
);
export type ManyAccountsBody = Static<typeof ManyAccountsBody>;

const AccountName = Type.String({ description: 'The name of the account.' });

/** The result of a change of many accounts. */
export const ManyAccountsRecord = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          account_id: Id('The id of the account.'),
          account_name: AccountName,
          changed: NamedAssets('The content that was added or removed, in the order of the request.'),
          unchanged: NamedAssets(
            'The content that the account already had or, for a removal, did not have directly. It triggers no event.',
          ),
        },
        { title: 'ManyAccountsContentItem', description: 'The result for one account.' },
      ),
      { description: 'The accounts, in the order of the request.' },
    ),
  },
  { title: 'ManyAccountsContent', description: 'The result of changing the content of many accounts.' },
);
export type ManyAccountsRecord = Static<typeof ManyAccountsRecord>;

const ContentInPath = Type.Object(
  { type: ContentTypeMember, id: AssetId, name: AssetName },
  {
    title: 'ContentInPath',
    description: 'Content that contains the next in the path, or the content itself.',
  },
);

/** An account that has content, and through what. */
export const AccountWithContentRecord = Type.Object(
  {
    account_id: Id('The id of the account.'),
    account_name: AccountName,
    enabled: Type.Boolean({ description: 'Whether the account is active.' }),
    through: Type.Array(
      Type.Object(
        {
          type: ContentTypeMember,
          id: AssetId,
          name: AssetName,
          path: Type.Array(ContentInPath, {
            description:
              'What is between this and the requested content, from the outside to the inside. Empty if this is ' +
              'the requested content, or contains it directly. If there are several paths, the shortest.',
          }),
          added_dt: DateTime('When it was added to the account.'),
        },
        {
          title: 'WayToContent',
          description:
            'Content that was added to the account: the requested content, or something that contains it.',
        },
      ),
      { description: 'Everything through which the account has the content, ordered by type and id.' },
    ),
  },
  { title: 'AccountWithContent', description: 'An account that has a piece of content.' },
);
export type AccountWithContentRecord = Static<typeof AccountWithContentRecord>;
