import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** The menu of a page or a row, which a button with three dots opens. */
export function MoreMenu({
  label,
  width = 'max-content',
  iconSize = 16,
  children,
  ...button
}: Pick<ActionIconProps, 'variant' | 'color' | 'size' | 'disabled'> & {
  /** The name of the button. */
  label: string;
  width?: number | 'max-content';
  iconSize?: number;
  /** The items. */
  children: ReactNode;
}) {
  return (
    <Menu width={width}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} {...button} aria-label={label}>
          <IconDots size={iconSize} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
