import { type Static, Type } from 'typebox';
import { DateTime, Id, Name, Nullable } from '../../http/schemas.ts';

/** The body of create and update. */
export const FolderInput = Type.Object(
  {
    name: Name('The name of the folder. Names need not be unique.'),
    parent_id: Type.Optional(Nullable(Id('The parent folder. Defaults to the root folder, Home.'))),
    id: Type.Optional(Type.Unknown()),
    location: Type.Optional(Type.Unknown()),
    created_dt: Type.Optional(Type.Unknown()),
    updated_dt: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false, description: 'Folder to create or update.' },
);
export type FolderInput = Static<typeof FolderInput>;

/** A folder as the API returns it. */
export const FolderRecord = Type.Object(
  {
    id: Id('The id of the folder. 1 is the root folder, Home.'),
    name: Type.String(),
    parent_id: Nullable(Id('The parent folder. Null only for the root folder.')),
    location: Type.String({
      description: 'The path of the parent folder from Home, joined with “ > ”. Empty for Home itself.',
      examples: ['Home > Safety'],
    }),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last renamed or moved.'),
  },
  { description: 'A folder.' },
);
export type FolderRecord = Static<typeof FolderRecord>;
