import {
  type MutationFunction,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useOpening } from '../utilities/use-is-shown.ts';
import { notifyError } from './notify.tsx';

/**
 * A change that a form sends and whose error the form shows. If the form was left, a notice shows the error, even if
 * the form was opened again in the meantime, for something else.
 * @param isOpen see `useIsShown`
 */
export function useFormMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables> & { mutationFn: MutationFunction<Data, Variables> },
  isOpen = true,
): UseMutationResult<Data, Error, Variables> {
  const opening = useOpening(isOpen);
  return useMutation({
    ...options,
    mutationFn: async (...call) => {
      const sentFrom = opening();
      try {
        return await options.mutationFn(...call);
      } catch (error) {
        if (opening() !== sentFrom || sentFrom === null) notifyError(error);
        throw error;
      }
    },
  });
}
