import { createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { rootRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { onlyKnown } from '../../utilities/known-search.ts';
import { nextAddress } from './next-address.ts';
import { setupToken } from './setup-token.ts';

const signInSearch = onlyKnown((given): { next?: string } => {
  const next = nextAddress(given.next);
  return next === null ? {} : { next };
});

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: signInSearch,
  beforeLoad: async ({ context, search }) => {
    const state = await context.queryClient.ensureQueryData(sessionQuery);
    if (state.signedIn) throw redirect({ href: search.next ?? '/', replace: true });
  },
  component: lazyPage(() => import('./sign-in-page.tsx'), 'SignInPage'),
  staticData: { title: pageTitles.signIn },
});

const setup = createRoute({
  getParentRoute: () => rootRoute,
  path: 'setup',
  beforeLoad: ({ location }) => {
    const token = setupToken(location.hash);
    if (token === null) return;
    // Removed from the address at once; otherwise, the history and the screen would show it.
    throw redirect({ to: '/setup', hash: '', state: { setupToken: token }, replace: true });
  },
  component: lazyPage(() => import('./setup-page.tsx'), 'SetupPage'),
  staticData: { title: pageTitles.setup },
});

/** Sign-in, and setup with a one-time link. */
export const accountRoutes = [signIn, setup] as const;
