import { createRoute } from '@tanstack/react-router';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { accountListSearch, accountSearch } from './account-search.ts';

const list = createRoute({
  getParentRoute: () => appRoute,
  path: 'accounts',
  validateSearch: accountListSearch,
  component: lazyPage(() => import('./list/account-list-page.tsx'), 'AccountListPage'),
  staticData: { title: pageTitles.accounts, needs: 'content:read' },
});

const details = createRoute({
  getParentRoute: () => appRoute,
  path: 'accounts/$accountId',
  params: {
    parse: ({ accountId }: { accountId: string }) => ({ accountId: Number(accountId) }),
    stringify: ({ accountId }: { accountId: number }) => ({ accountId: String(accountId) }),
  },
  validateSearch: accountSearch,
  component: lazyPage(() => import('./details/account-page.tsx'), 'AccountPage'),
  staticData: { title: pageTitles.account, needs: 'content:read' },
});

/** The pages of accounts. */
export const contentAccountRoutes = [list, details] as const;
