import {
  Avatar,
  Menu,
  SegmentedControl,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { IconLogout, IconSelector, IconUserCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { uiBase } from '../api/addresses.ts';
import { signOut } from '../api/session.ts';
import { MenuItemLink } from '../components/links.tsx';
import { notifyError } from '../components/notify.tsx';
import { useSession } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';
import styles from './user-menu.module.css';

/** The signed-in person, with profile, appearance and sign-out. */
export function UserMenu() {
  const { administrator } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useMutation({
    mutationFn: signOut,
    // Reloading removes everything that was read for this administrator.
    onSuccess: () => window.location.assign(new URL('sign-in', uiBase())),
    onError: notifyError,
  });
  const name = administrator.name === '' ? administrator.email : administrator.name;
  return (
    <Menu position="top-start" width={228} offset={6}>
      <Menu.Target>
        <UnstyledButton className={styles.target}>
          <VisuallyHidden>{navigation.userMenu}</VisuallyHidden>
          <Avatar size={30} radius="xl" name={name} color="wire" variant="light" aria-hidden />
          <span className={styles.who}>
            <span className={styles.name}>{name}</span>
            <span className={styles.role}>{navigation.roles[administrator.role]}</span>
          </span>
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.scheme}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={navigation.scheme.label}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as 'light' | 'dark' | 'auto')}
            data={[
              { value: 'light', label: navigation.scheme.light },
              { value: 'dark', label: navigation.scheme.dark },
              { value: 'auto', label: navigation.scheme.auto },
            ]}
          />
        </div>
        <Menu.Divider />
        <MenuItemLink leftSection={<IconUserCircle size={16} stroke={1.6} />} to="/profile">
          {navigation.profile}
        </MenuItemLink>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => leave.mutate()}>
          {navigation.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
