import { Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { isNotFound } from '../../api/errors.ts';
import { invitationQuery, type Session, sessionQuery, signedInAs } from '../../api/session.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { account } from '../../texts/sign-in.ts';
import { AccountFrame } from './account-frame.tsx';
import { SetupForm } from './setup-form.tsx';

const texts = account.setup;

/** The page of a one-time link: the person enters a name and a password. */
export function SetupPage() {
  const token = useRouterState({ select: ({ location }) => location.state.setupToken });
  const queryClient = useQueryClient();
  const router = useRouter();
  const {
    data: invitation,
    error,
    refetch,
  } = useQuery({
    ...invitationQuery(token ?? ''),
    enabled: token !== undefined,
  });
  const goOn = async (session: Session) => {
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, signedInAs(session));
    await router.navigate({ to: '/', replace: true });
  };
  if (token === undefined || isNotFound(error)) {
    return (
      <AccountFrame title={texts.invalid} description={texts.invalidAdvice}>
        <AnchorLink to="/sign-in">{texts.toSignIn}</AnchorLink>
      </AccountFrame>
    );
  }
  if (error !== null) {
    return (
      <AccountFrame title={texts.title}>
        <ErrorState error={error} retry={() => void refetch()} />
      </AccountFrame>
    );
  }
  if (invitation === undefined) {
    return (
      <AccountFrame title={texts.title}>
        <Stack gap="md" aria-busy="true">
          <Skeleton height={56} />
          <Skeleton height={56} />
          <Skeleton height={56} />
        </Stack>
      </AccountFrame>
    );
  }
  const { email, role, has_password: hasPassword } = invitation;
  const lead = email === null ? texts.first : hasPassword ? texts.again : texts.invited(texts.as[role]);
  return (
    <AccountFrame title={texts.title} description={lead}>
      <SetupForm token={token} invitation={invitation} onDone={goOn} />
    </AccountFrame>
  );
}
