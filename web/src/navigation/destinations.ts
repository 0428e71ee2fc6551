import {
  IconBell,
  IconBooks,
  IconBuilding,
  IconCertificate,
  IconClipboardList,
  IconGauge,
  IconPlugConnected,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Need } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';

/** A page of the navigation. */
export interface Destination {
  to: NonNullable<LinkProps['to']>;
  label: string;
  exact?: boolean;
  /** What opening it needs; undefined for everybody. */
  needs?: Need;
}

/** A page or a group of pages, with its icon. */
export interface Entry extends Destination {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The pages below it; always visible. */
  parts?: readonly Destination[];
}

/** The pages about content. */
export const MAIN: readonly Entry[] = [
  { to: '/', label: navigation.dashboard, icon: IconGauge, exact: true },
  { to: '/content', label: navigation.content, icon: IconBooks, needs: 'content:read' },
  { to: '/accounts', label: navigation.accounts, icon: IconBuilding, needs: 'content:read' },
  { to: '/registrations', label: navigation.registrations, icon: IconCertificate, needs: 'content:read' },
];

/** The pages about integrations and the installation. */
export const ADMINISTRATION: readonly Entry[] = [
  {
    to: '/administration/integrations',
    label: navigation.integrations,
    icon: IconPlugConnected,
    parts: [
      { to: '/administration/integrations/webhooks', label: navigation.webhooks, needs: 'webhooks:read' },
      { to: '/administration/integrations/events', label: navigation.events, needs: 'webhooks:read' },
      {
        to: '/administration/integrations/dead-letters',
        label: navigation.deadLetters,
        needs: 'webhooks:read',
      },
      { to: '/administration/integrations/clients', label: navigation.clients, needs: 'admin' },
    ],
  },
  { to: '/administration/alerts', label: navigation.alerts, icon: IconBell, needs: 'webhooks:write' },
  { to: '/administration/administrators', label: navigation.administrators, icon: IconUsers, needs: 'admin' },
  {
    to: '/administration/audit-log',
    label: navigation.auditLog,
    icon: IconClipboardList,
    needs: 'audit:read',
  },
  { to: '/administration/system', label: navigation.system, icon: IconServer2, needs: 'admin' },
];

/** The pages that someone may open. Groups without any such page are omitted. */
export function openEntries(entries: readonly Entry[], may: (need: Need) => boolean): Entry[] {
  const isOpen = ({ needs }: Destination) => needs === undefined || may(needs);
  return entries.filter(isOpen).flatMap((entry) => {
    if (entry.parts === undefined) return [entry];
    const parts = entry.parts.filter(isOpen);
    return parts.length === 0 ? [] : [{ ...entry, parts }];
  });
}
