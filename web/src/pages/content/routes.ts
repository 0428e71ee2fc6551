import { createRoute } from '@tanstack/react-router';
import { LEARNING_STANDARDS } from '../../../../src/course-packages/learning-standard.ts';
import { CONTENT_SORTS } from '../../../../src/ui-api/content/content-list-choices.ts';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';
import { CONTENT_KINDS } from './overview/content-kinds.ts';

const layout = createRoute({
  getParentRoute: () => appRoute,
  id: 'content-layout',
  component: lazyPage(() => import('./content-layout.tsx'), 'ContentLayout'),
  staticData: { needs: 'content:read' },
});

const folder = createRoute({
  getParentRoute: () => layout,
  path: 'content',
  validateSearch: tableSearch({
    sorts: CONTENT_SORTS,
    filters: { kind: CONTENT_KINDS, below: ['yes', 'no'], learning_standard: LEARNING_STANDARDS },
    ids: ['folder'],
  }),
  component: lazyPage(() => import('./overview/folder-page.tsx'), 'FolderPage'),
  staticData: { title: pageTitles.content },
});

const course = createRoute({
  getParentRoute: () => layout,
  path: 'content/courses/$courseId',
  component: lazyPage(() => import('./course/course-page.tsx'), 'CoursePage'),
  staticData: { title: pageTitles.course },
});

/** The folder for a new asset. */
const newGroupSearch = tableSearch({ sorts: [], ids: ['folder'] });

const newEquivalent = createRoute({
  getParentRoute: () => layout,
  path: 'content/equivalents/new',
  validateSearch: newGroupSearch,
  component: lazyPage(() => import('./groups/new-equivalent-page.tsx'), 'NewEquivalentPage'),
  staticData: { title: pageTitles.newEquivalent, needs: 'content:write' },
});

const equivalent = createRoute({
  getParentRoute: () => layout,
  path: 'content/equivalents/$equivalentId',
  component: lazyPage(() => import('./groups/equivalent-page.tsx'), 'EquivalentPage'),
  staticData: { title: pageTitles.equivalent },
});

const newBundle = createRoute({
  getParentRoute: () => layout,
  path: 'content/bundles/new',
  validateSearch: newGroupSearch,
  component: lazyPage(() => import('./groups/new-bundle-page.tsx'), 'NewBundlePage'),
  staticData: { title: pageTitles.newBundle, needs: 'content:write' },
});

const bundle = createRoute({
  getParentRoute: () => layout,
  path: 'content/bundles/$bundleId',
  component: lazyPage(() => import('./groups/bundle-page.tsx'), 'BundlePage'),
  staticData: { title: pageTitles.bundle },
});

export const contentRoutes = [
  layout.addChildren([folder, course, newEquivalent, equivalent, newBundle, bundle]),
] as const;
