import './theme/global.css';
import './theme/forced-colours.css';
import 'virtual:mantine-styles';
import '@mantine/notifications/styles.layer.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchUse } from './api/attention.ts';
import { Connection } from './api/connection.ts';
import { UnreachableError } from './api/errors.ts';
import { createQueryClient } from './api/query-client.ts';
import { preloadPage } from './app/preload-page.ts';
import { Providers } from './app/providers.tsx';
import { createAppRouter } from './app/router.tsx';

watchUse();
const connection = new Connection();
const queryClient = createQueryClient(connection);
const router = createAppRouter(queryClient);
preloadPage(router);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the UI');

createRoot(root, {
  // The page itself says that the service does not respond. That is not a fault of the UI.
  onCaughtError: (error) => {
    if (!(error instanceof UnreachableError)) reportError(error);
  },
}).render(
  <StrictMode>
    <Providers queryClient={queryClient} connection={connection}>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
