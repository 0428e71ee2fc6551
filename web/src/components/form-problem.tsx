import type { UseFormReturnType } from '@mantine/form';
import { ApiError, isUnauthorized } from '../api/errors.ts';
import { Callout } from './callout.tsx';
import { explainError } from './explain-error.ts';
import { errorsAt, errorsElsewhere, fieldOf } from './field-errors.ts';

/** Shows the errors of members at their fields, and focuses the first of them. */
export function showFieldErrors<T extends object>(
  form: Pick<UseFormReturnType<T>, 'setErrors' | 'getInputNode'>,
  error: unknown,
  fields: readonly string[],
): void {
  const errors = errorsAt(error, fields);
  const [first] = Object.keys(errors);
  if (first === undefined) return;
  form.setErrors(errors);
  form.getInputNode(first)?.focus();
}

/**
 * Shows why a form was rejected. Errors of the given `fields` are shown at those fields instead. A 401 is not shown, because
 * the frame asks the person to sign in again, after which the form can be sent.
 */
export function FormProblem({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) {
  if (error === null || error === undefined || isUnauthorized(error)) return null;
  const { title, detail, advice } = explainError(error);
  const others = errorsElsewhere(error, fields);
  if (error instanceof ApiError && error.errors.length > 0 && others.length === 0) return null;
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
