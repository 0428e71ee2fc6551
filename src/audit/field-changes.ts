/** The members of something that can change, by their name in the API. Members of a nested object have a dot. */
export type AuditFields = Readonly<Record<string, AuditScalar | readonly AuditItem[]>>;

/** A single value in an entry. */
export type AuditScalar = string | number | boolean | null;

/** An item of a list in an entry: a single value, or a flat object such as a focus. */
export type AuditItem = AuditScalar | Readonly<Record<string, AuditScalar>>;

/** A changed member: with its values, or its added and removed items if it is a list. A secret has no value. */
export type FieldChange =
  | { field: string; before: AuditScalar; after: AuditScalar }
  | { field: string; added: readonly AuditItem[]; removed: readonly AuditItem[] }
  | { field: string; secret: true };

/**
 * The members that differ. Something that was created has no members before, and something that was deleted has none
 * afterwards; then, members without a value are omitted.
 */
export function changedFields(before: AuditFields | null, after: AuditFields | null): FieldChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((field): FieldChange[] => {
    const [old, next] = [before?.[field] ?? null, after?.[field] ?? null];
    if (isList(old) || isList(next)) {
      const [oldItems, nextItems] = [isList(old) ? old : [], isList(next) ? next : []];
      const added = without(nextItems, oldItems);
      const removed = without(oldItems, nextItems);
      return added.length + removed.length === 0 ? [] : [{ field, added, removed }];
    }
    return keyOf(old) === keyOf(next) ? [] : [{ field, before: old, after: next }];
  });
}

/** A secret that was set, replaced or removed. */
export function secretChange(field: string): FieldChange {
  return { field, secret: true };
}

function isList(value: AuditFields[string]): value is readonly AuditItem[] {
  return Array.isArray(value);
}

function without(items: readonly AuditItem[], others: readonly AuditItem[]): AuditItem[] {
  const keys = new Set(others.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
}

function keyOf(value: AuditItem): string {
  return JSON.stringify(value);
}
