import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Connection } from '../api/connection.ts';
import { cssVariables, theme } from '../theme/theme.ts';
import { ConnectionContext } from './connection-context.ts';

/** The key under which index.html looks before the first paint, too. */
const COLOR_SCHEME_KEY = 'coursewire-color-scheme';
const NOTIFICATION_MS = 6_000;
const colorSchemes = localStorageColorSchemeManager({ key: COLOR_SCHEME_KEY });

function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}

/** What every part of the UI stands on. */
export function Providers({
  queryClient,
  connection,
  children,
}: {
  queryClient: QueryClient;
  connection: Connection;
  children: ReactNode;
}) {
  return (
    <QueryClientProvider client={queryClient}>
      <ConnectionContext value={connection}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          colorSchemeManager={colorSchemes}
          defaultColorScheme="auto"
          getStyleNonce={styleNonce}
        >
          <Notifications position="bottom-right" autoClose={NOTIFICATION_MS} limit={4} />
          {children}
        </MantineProvider>
      </ConnectionContext>
    </QueryClientProvider>
  );
}
