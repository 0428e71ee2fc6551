import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { palette } from '../texts/palette.ts';
import { modKey } from './mod-key.ts';
import styles from './search-button.module.css';

/** Opens the command palette; in the navigation. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <UnstyledButton className={styles.button} onClick={onOpen} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={16} stroke={1.6} aria-hidden />
      <span className={styles.label}>{palette.open}</span>
      <Kbd size="xs" aria-hidden>
        {modKey()} K
      </Kbd>
    </UnstyledButton>
  );
}

/** The search button in the header on phones. */
export function SearchIcon({ onOpen }: { onOpen: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={palette.open} onClick={onOpen}>
      <IconSearch size={20} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
