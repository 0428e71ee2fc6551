import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type WithAttributes<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>;

/** A link in a text to a page of the UI. */
export const AnchorLink = createLink((props: WithAttributes<AnchorProps>) => <Anchor {...props} />);

/** A link to a page of the UI that looks like a button. */
export const ButtonLink = createLink((props: WithAttributes<ButtonProps>) => (
  <Button component="a" {...props} />
));

/** A link to a page of the UI in a menu. */
export const MenuItemLink = createLink((props: WithAttributes<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
));
