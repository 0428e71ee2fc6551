import { AppShell, Burger, Group } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { PageLoading } from '../components/page-loading.tsx';
import { SearchButton, SearchIcon } from '../palette/search-button.tsx';
import { usePalette } from '../palette/use-palette.tsx';
import { SessionContext } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';
import styles from './app-layout.module.css';
import { ConnectionNotice } from './connection-notice.tsx';
import { rememberFrame } from './frame-memory.ts';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { PageGate } from './page-gate.tsx';
import { ReadOnlyNotice } from './read-only-notice.tsx';
import { useOwnSession } from './use-own-session.ts';
import { useSignInAgain } from './use-sign-in-again.tsx';
import { UserMenu } from './user-menu.tsx';

const NAVBAR_WIDTH = 228;
const HEADER_HEIGHT = 52;
/** The breakpoint of the phone layout. The styles of tables and pages use the same one. */
const BREAKPOINT = 'sm';

/** The frame of every page after sign-in. */
export function AppLayout() {
  const { session, hasEnded } = useOwnSession();
  const [menuOpen, setMenuOpen] = useState(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [shownPath, setShownPath] = useState(pathname);
  const main = useRef<HTMLElement>(null);
  const { dialog, openPalette } = usePalette();
  const signInAgain = useSignInAgain(hasEnded, session?.administrator.email);

  useEffect(() => rememberFrame(true), []);

  // Opening another page closes the menu on phones.
  if (shownPath !== pathname) {
    setShownPath(pathname);
    setMenuOpen(false);
  }

  if (session === null) return <PageLoading />;
  return (
    <SessionContext value={session}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {navigation.skip}
      </button>
      <AppShell
        navbar={{ width: NAVBAR_WIDTH, breakpoint: BREAKPOINT, collapsed: { mobile: !menuOpen } }}
        header={{ height: { base: HEADER_HEIGHT, [BREAKPOINT]: 0 } }}
        padding={0}
        withBorder={false}
      >
        <AppShell.Header hiddenFrom={BREAKPOINT} className={styles.header}>
          <Group h="100%" px="md" justify="space-between">
            <Logo />
            <Group gap="xs">
              <SearchIcon onOpen={openPalette} />
              <Burger
                opened={menuOpen}
                onClick={() => setMenuOpen((open) => !open)}
                size="sm"
                aria-label={menuOpen ? navigation.close : navigation.open}
                aria-expanded={menuOpen}
              />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={styles.navbar} component="div">
          <div className={styles.brand}>
            <Logo />
          </div>
          <SearchButton onOpen={openPalette} />
          <Navigation />
          <UserMenu />
        </AppShell.Navbar>
        <AppShell.Main ref={main} tabIndex={-1} className={styles.main}>
          <ConnectionNotice />
          {session.service.read_only && <ReadOnlyNotice />}
          <div className={styles.page}>
            <Suspense fallback={<PageLoading />}>
              <PageGate />
            </Suspense>
          </div>
        </AppShell.Main>
      </AppShell>
      {dialog}
      {signInAgain}
    </SessionContext>
  );
}
