import type { ContentType } from '../../events/catalogue.ts';
import type { ContentReference } from '../../events/event.ts';

/**
 * Reading the members of a body that breaks its schema, so that its references are still looked up and reported. A member
 * of the wrong type is null here, because the schema reports it.
 */

/** The members of an object; none if it is something else. */
export function givenMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The items of a list; none if it is something else, or longer than its schema allows. */
export function givenItems(value: unknown, maxItems: number): readonly unknown[] {
  return Array.isArray(value) && value.length <= maxItems ? value : [];
}

/** An id, or null. */
export function givenId(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The references in a list, at their positions. Those of a type that the list does not allow are null, too. */
export function givenReferences<T extends ContentType>(
  value: unknown,
  { types, maxItems }: { types: readonly T[]; maxItems: number },
): (ContentReference | null)[] {
  return givenItems(value, maxItems).map((item) => {
    const members = givenMembers(item);
    const type = types.find((each) => each === members.type);
    const id = givenId(members.id);
    return type === undefined || id === null ? null : { type, id };
  });
}
