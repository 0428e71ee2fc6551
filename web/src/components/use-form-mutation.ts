import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useIsShown } from '../utilities/use-is-shown.ts';
import { notifyError } from './notify.tsx';

/**
 * A change that a form sends and whose error the form shows. If the form was left, a notice shows the error.
 * @param isOpen see `useIsShown`
 */
export function useFormMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
  isOpen = true,
): UseMutationResult<Data, Error, Variables> {
  const isShown = useIsShown(isOpen);
  return useMutation({
    ...options,
    onError: (...failure) => {
      if (!isShown()) notifyError(failure[0]);
      return options.onError?.(...failure);
    },
  });
}
