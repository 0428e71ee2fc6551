import type { UseFormReturnType } from '@mantine/form';
import { ApiError, isUnauthorized } from '../api/errors.ts';
import { capitalized } from '../utilities/capitalized.ts';
import { Callout } from './callout.tsx';
import { explainError } from './explain-error.ts';

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

/** Shows the errors of members at their fields, and focuses the first of them. */
export function showFieldErrors<T extends object>(
  form: Pick<UseFormReturnType<T>, 'setErrors' | 'getInputNode'>,
  error: unknown,
  fields: readonly string[],
): void {
  if (!(error instanceof ApiError)) return;
  const known = error.errors
    .map(({ pointer, detail }) => [fieldOf(pointer), capitalized(detail)] as const)
    .filter(([field]) => fields.includes(field));
  if (known.length === 0) return;
  form.setErrors(Object.fromEntries(known));
  const first = known[0];
  if (first !== undefined) form.getInputNode(first[0])?.focus();
}

/**
 * Shows why a form was rejected. Errors of the given `fields` are shown at those fields instead. A 401 is not shown, because
 * the frame asks the person to sign in again, after which the form can be sent.
 */
export function FormProblem({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) {
  if (error === null || error === undefined || isUnauthorized(error)) return null;
  const { title, detail, advice } = explainError(error);
  const members = error instanceof ApiError ? error.errors : [];
  const others = members.filter(({ pointer }) => !fields.includes(fieldOf(pointer)));
  if (members.length > 0 && others.length === 0) return null;
  return (
    <Callout tone="bad" title={title} live>
      {others.length > 0
        ? others.map((other) => (
            <div key={other.pointer}>
              {other.pointer === '' ? '' : `${fieldOf(other.pointer)}: `}
              {other.detail}
            </div>
          ))
        : `${detail} ${advice}`}
    </Callout>
  );
}
