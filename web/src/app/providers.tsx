import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Connection } from '../api/connection.ts';
import { ConnectionContext } from '../session/connection-context.ts';
import { cssVariables, theme } from '../theme/theme.ts';

/** index.html reads the same key before the first paint. */
const COLOR_SCHEME_KEY = 'coursewire-color-scheme';
const NOTIFICATION_MS = 6_000;
const colorSchemes = localStorageColorSchemeManager({ key: COLOR_SCHEME_KEY });

function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}

/** The providers that every part of the UI needs. */
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
