import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import { useIsShown } from '../utilities/use-is-shown.ts';

/**
 * Navigates after a response, like `useNavigate`, but only while the calling component is shown. Whoever has left it may
 * be filling in another form.
 */
export function useLeave(): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isShown = useIsShown();
  const leave: typeof navigate = async (options) => {
    if (isShown()) await navigate(options);
  };
  return leave;
}
