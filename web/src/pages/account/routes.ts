import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { rootRoute } from '../../app/root-routes.ts';
import { account } from '../../texts/account.ts';
import { nextAddress } from './next-address.ts';
import { setupToken } from './setup-token.ts';

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => {
    const address = nextAddress(next);
    return address === null ? {} : { next: address };
  },
  beforeLoad: async ({ context, search }) => {
    const state = await context.queryClient.ensureQueryData(sessionQuery);
    if (state.signedIn) throw redirect({ href: search.next ?? '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  staticData: { title: account.signIn.title },
});

const setup = createRoute({
  getParentRoute: () => rootRoute,
  path: 'setup',
  beforeLoad: ({ location }) => {
    const token = setupToken(location.hash);
    if (token === null) return;
    // Out of the address at once: it would stand in the history, and on the screen.
    throw redirect({ to: '/setup', hash: '', state: { setupToken: token }, replace: true });
  },
  component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
  staticData: { title: account.setup.title },
});

/** Signing in, and setting up with a one-time link. */
export const accountRoutes = [signIn, setup] as const;
