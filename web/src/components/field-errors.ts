import { ApiError, type InputError } from '../api/errors.ts';
import { capitalized } from '../utilities/capitalized.ts';

/**
 * `/authentication/key` → `authentication.key`, which is how forms name their fields (RFC 6901 escapes are
 * decoded).
 */
export function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

/**
 * The errors of the service that a form shows at its fields. A field of a list or an object has the first error of its
 * items: `email_to.1` is shown at `email_to`.
 * @param fields the members of the API that have a field
 */
export function errorsAt<Field extends string>(
  error: unknown,
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  const errors: Partial<Record<Field, string>> = {};
  for (const { pointer, detail } of membersIn(error)) {
    const field = fieldFor(pointer, fields);
    if (field !== undefined) errors[field] ??= capitalized(detail);
  }
  return errors;
}

/** The errors of members that have none of these fields. */
export function errorsElsewhere(error: unknown, fields: readonly string[]): InputError[] {
  return membersIn(error).filter(({ pointer }) => fieldFor(pointer, fields) === undefined);
}

function membersIn(error: unknown): readonly InputError[] {
  return error instanceof ApiError ? error.errors : [];
}

function fieldFor<Field extends string>(pointer: string, fields: readonly Field[]): Field | undefined {
  const member = fieldOf(pointer);
  return fields.find((field) => member === field || member.startsWith(`${field}.`));
}
