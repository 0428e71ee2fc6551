import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../components/not-found.tsx';
import { PageCrash } from '../components/page-crash.tsx';
import { errors } from '../texts/errors.ts';
import { AppLayout } from './layout/app-layout.tsx';
import { RootLayout } from './layout/root-layout.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the browser's tab and screen readers call the page. */
    title?: string;
  }
}

/** The root of all addresses. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: RootLayout,
  notFoundComponent: NotFound,
  errorComponent: PageCrash,
});

/** Everything behind the sign-in: parent of pages that viewers may see, too. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: AppLayout,
  beforeLoad: async ({ context, location }) => {
    const state = await context.queryClient.ensureQueryData(sessionQuery);
    if (state.signedIn) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/sign-in', search: next === undefined ? {} : { next }, replace: true });
  },
});

/** Whatever no page has, within the frame: people who signed in keep the way around. */
export const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: NotFound,
  staticData: { title: errors.notFound.title },
});

/** Parent of pages that need the role of an administrator; viewers are told so instead. */
export const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'admin',
  component: lazyRouteComponent(() => import('./layout/admin-gate.tsx'), 'AdminGate'),
});
