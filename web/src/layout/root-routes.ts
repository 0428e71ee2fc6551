import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../components/not-found.tsx';
import { PageCrash } from '../components/page-crash.tsx';
import type { Need } from '../session/session-context.ts';
import { errors } from '../texts/errors.ts';
import { AppLayout } from './app-layout.tsx';
import { RootLayout } from './root-layout.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The title for the browser tab and for screen readers. */
    title?: string;
    /** What opening the page needs, if not the same as its parent. */
    needs?: Need;
  }
}

/** The root of all routes. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: RootLayout,
  notFoundComponent: NotFound,
  errorComponent: PageCrash,
});

/** The parent of all pages that require sign-in. */
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

/** Unknown addresses. The frame stays, so that people keep the navigation. */
export const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: NotFound,
  staticData: { title: errors.notFound.title },
});

/** The parent of the pages of the administration. They require the role admin, unless they name something else. */
export const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'admin',
  staticData: { needs: 'admin' },
});
