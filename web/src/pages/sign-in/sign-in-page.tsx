import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type Session, sessionQuery, signedInAs } from '../../api/session.ts';
import { SignInForm } from '../../components/sign-in-form.tsx';
import { account } from '../../texts/sign-in.ts';
import { AccountFrame } from './account-frame.tsx';
import { SetupRequired } from './setup-required.tsx';

/** Sign-in. If there is no administrator, how to create the first one. */
export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data: state } = useQuery({ ...sessionQuery, enabled: false });
  if (state?.signedIn === false && state.setupRequired) return <SetupRequired />;
  const goOn = async (session: Session) => {
    // Removes everything that another person has read.
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, signedInAs(session));
    await router.navigate({ href: next ?? '/', replace: true });
  };
  return (
    <AccountFrame title={account.signIn.title}>
      <SignInForm onSignedIn={goOn} />
    </AccountFrame>
  );
}
