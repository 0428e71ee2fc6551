import { type Static, Type } from 'typebox';
import { DateTime, HAS_ETAG, Id, Ignored, Name, Nullable } from '../../http/schemas.ts';

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
  { title: 'Folder', ...HAS_ETAG, description: 'A folder.' },
);
export type FolderRecord = Static<typeof FolderRecord>;

/** The body of create and update. */
export const FolderInput = Type.Object(
  {
    name: Name('The name of the folder. Names need not be unique.'),
    parent_id: Type.Optional(Nullable(Id('The parent folder. Defaults to the root folder, Home.'))),
    id: Ignored(FolderRecord.properties.id),
    location: Ignored(FolderRecord.properties.location),
    created_dt: Ignored(FolderRecord.properties.created_dt),
    updated_dt: Ignored(FolderRecord.properties.updated_dt),
  },
  { additionalProperties: false, title: 'FolderInput', description: 'Folder to create or update.' },
);
export type FolderInput = Static<typeof FolderInput>;
