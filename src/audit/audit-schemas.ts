import { type Static, Type } from 'typebox';
import { PageQuery } from '../http/paging.ts';
import { DateTime, describedAs, Id, Nullable, SearchedText, TimeQuery } from '../http/schemas.ts';
import { formatDateTime } from '../time/date-time.ts';
import { AUDIT_ACTION_NAMES, AUDIT_OBJECT_TYPES, type AuditAction, type AuditObjectType } from './actions.ts';
import { ACTOR_TYPES, type ActorType } from './actor.ts';
import type { StoredAuditEntry } from './audit-store.ts';
import type { AuditItem, AuditScalar, FieldChange } from './field-changes.ts';

const Action = Type.Enum([...AUDIT_ACTION_NAMES], { title: 'AuditAction' });
const ObjectType = Type.Enum([...AUDIT_OBJECT_TYPES], { title: 'AuditObjectType' });
const ActorTypeMember = Type.Enum([...ACTOR_TYPES], { title: 'ActorType' });

/** The query of the list. */
export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  user: SearchedText('Only what this e-mail address did.'),
  actor_type: Type.Optional(
    Type.Enum([...ACTOR_TYPES], { title: 'ActorType', description: 'Only what actors of this kind did.' }),
  ),
  action: Type.Optional(
    Type.Array(Action, {
      minItems: 1,
      maxItems: AUDIT_ACTION_NAMES.length,
      description: 'One of these actions.',
    }),
  ),
  object_type: Type.Optional(
    Type.Enum([...AUDIT_OBJECT_TYPES], {
      title: 'AuditObjectType',
      description: 'Only objects of this kind.',
    }),
  ),
  object_id: SearchedText('The id of the object. Requires `object_type`.'),
  from_dt: TimeQuery('At or after this time, ISO 8601 with a time zone.'),
  to_dt: TimeQuery('Before this time.'),
});
export type AuditQuery = Static<typeof AuditQuery>;

// Generators cannot read a list of types, so several types are described as a union with a name. The one for Go does not
// compile with a union of a map of unions.
const Scalar = describedAs(Type.Unsafe<AuditScalar>({ type: ['string', 'number', 'boolean', 'null'] }), {
  anyOf: [
    {
      title: 'AuditValue',
      description: 'A text, a number, or true or false.',
      oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
    },
    { type: 'null' },
  ],
});

const Item = describedAs(
  Type.Unsafe<AuditItem>({
    type: ['string', 'number', 'object'],
    // Without it, responses would have empty objects.
    additionalProperties: true,
  }),
  {
    title: 'AuditItem',
    description: 'An item of a list: a text, a number, or an object such as a focus.',
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'object', additionalProperties: true }],
  },
);

function Value(description: string) {
  return Type.Optional(Type.Unsafe<AuditScalar>({ ...Scalar, description }));
}

function Items(description: string) {
  return Type.Optional(Type.Array(Item, { description }));
}

const Change = Type.Object(
  {
    field: Type.String({ description: 'The member as the API names it; in a nested object with a dot.' }),
    before: Value('The former value; null if there was none.'),
    after: Value('The new value; null if there is none.'),
    added: Items('For a list: the added items: texts, numbers, or objects such as a focus.'),
    removed: Items('For a list: the removed items.'),
    secret: Type.Optional(
      Type.Boolean({ description: 'True for a secret, which has no values here: only that it changed.' }),
    ),
  },
  { title: 'AuditChange', description: 'A changed member: `before` and `after`, or `added` and `removed`.' },
);

/** An entry in a response. */
export const AuditEntry = Type.Object(
  {
    id: Id(),
    occurred_dt: DateTime('When it was done.'),
    actor: Type.Object(
      {
        type: ActorTypeMember,
        id: Nullable(Type.String({ description: 'The id of the administrator, or the client id.' })),
        user: Nullable(Type.String({ description: 'The e-mail address at that time.' })),
        name: Nullable(Type.String({ description: 'The name at that time.' })),
        address: Nullable(Type.String({ description: 'The network address. Null for the command line.' })),
      },
      { title: 'AuditActor', description: 'Who did it. UNKNOWN: not signed in.' },
    ),
    action: Action,
    object: Type.Object(
      {
        type: ObjectType,
        id: Nullable(Type.String({ description: 'Null if the object is unknown.' })),
        name: Nullable(Type.String({ description: 'The name at that time.' })),
      },
      { title: 'AuditObject', description: 'What was changed.' },
    ),
    changes: Type.Array(Change, { description: 'The members that changed, with their values.' }),
    details: Type.Record(Type.String(), Scalar, {
      description: 'Further facts, such as `messages`: the number of redelivered messages.',
    }),
  },
  { title: 'AuditEntry', description: 'An entry of the audit log.' },
);

/** An entry, as the admin UI reads it. */
export type AuditEntryRecord = ReturnType<typeof toAuditRecord>;

/** An entry in a response. */
export function toAuditRecord(row: StoredAuditEntry) {
  return {
    id: row.id,
    occurred_dt: formatDateTime(row.occurred_at),
    actor: {
      type: row.actor_type as ActorType,
      id: row.actor_id,
      user: row.actor_user,
      name: row.actor_name,
      address: row.address,
    },
    action: row.action as AuditAction,
    object: { type: row.object_type as AuditObjectType, id: row.object_id, name: row.object_name },
    changes: JSON.parse(row.changes) as FieldChange[],
    details: JSON.parse(row.details) as Record<string, AuditScalar>,
  };
}
