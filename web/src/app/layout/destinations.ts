import {
  IconBooks,
  IconBuilding,
  IconCertificate,
  IconGauge,
  IconPlugConnected,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { navigation } from '../../texts/navigation.ts';

/** A page of the navigation. */
export interface Destination {
  to: NonNullable<LinkProps['to']>;
  label: string;
  exact?: boolean;
}

/** A page or a group of pages, with its icon. */
export interface Entry extends Destination {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The pages below it; always visible. */
  parts?: readonly Destination[];
}

/** The pages for everybody. */
export const MAIN: readonly Entry[] = [
  { to: '/', label: navigation.dashboard, icon: IconGauge, exact: true },
  { to: '/content', label: navigation.content, icon: IconBooks },
  { to: '/accounts', label: navigation.accounts, icon: IconBuilding },
  { to: '/registrations', label: navigation.registrations, icon: IconCertificate },
];

/** The pages for administrators. */
export const ADMINISTRATION: readonly Entry[] = [
  {
    to: '/administration/integrations',
    label: navigation.integrations,
    icon: IconPlugConnected,
    parts: [
      { to: '/administration/integrations/webhooks', label: navigation.webhooks },
      { to: '/administration/integrations/events', label: navigation.events },
      { to: '/administration/integrations/dead-letters', label: navigation.deadLetters },
      { to: '/administration/integrations/clients', label: navigation.clients },
    ],
  },
  { to: '/administration/administrators', label: navigation.administrators, icon: IconUsers },
  { to: '/administration/system', label: navigation.system, icon: IconServer2 },
];
