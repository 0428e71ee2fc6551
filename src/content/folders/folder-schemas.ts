import { type Static, Type } from 'typebox';
import { DateTime, Id, Name, Nullable } from '../../http/schemas.ts';

/** The body of create and update. */
export const FolderInput = Type.Object(
  {
    name: Name('The folder’s name. Folders may share a name: their ids tell them apart.'),
    parent_id: Type.Optional(
      Nullable(Id('The folder that holds it; the root, Home, when left out or null.')),
    ),
    id: Type.Optional(Type.Unknown()),
    location: Type.Optional(Type.Unknown()),
    created_dt: Type.Optional(Type.Unknown()),
    updated_dt: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false, description: 'A folder, as it is to be.' },
);
export type FolderInput = Static<typeof FolderInput>;

/** A folder as reading gives it. */
export const FolderRecord = Type.Object(
  {
    id: Id('The folder’s id; 1 is the root, Home.'),
    name: Type.String(),
    parent_id: Nullable(Id('The folder that holds it; null for the root alone.')),
    location: Type.String({
      description: 'The names from Home down to this folder, joined with “ > ”.',
      examples: ['Home > Safety > 2026'],
    }),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was renamed or moved last.'),
  },
  { description: 'A folder.' },
);
