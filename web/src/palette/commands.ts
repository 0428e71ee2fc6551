import { IconKeyboard, IconPlus, IconUserCircle } from '@tabler/icons-react';
import { ADMINISTRATION, type Entry, MAIN, openEntries } from '../navigation/destinations.ts';
import type { Need } from '../session/session-context.ts';
import { accounts } from '../texts/accounts.ts';
import { navigation } from '../texts/navigation.ts';
import { palette } from '../texts/palette.ts';
import { registrations } from '../texts/registrations.ts';
import { webhooks } from '../texts/webhooks.ts';
import type { PaletteEntry, PaletteGroup } from './palette-entry.ts';

/** The pages and actions available to a person. */
interface Permissions {
  may: (need: Need) => boolean;
  webhooksReadOnly: boolean;
}

/** The pages and actions with words that begin with the words of the text; all of them for an empty text. */
export function matchingCommands(
  text: string,
  permissions: Permissions,
  showShortcuts: () => void,
): PaletteGroup[] {
  const groups = [
    { heading: palette.groups.pages, entries: pages(permissions) },
    { heading: palette.groups.actions, entries: actions(permissions, showShortcuts) },
  ];
  return groups
    .map(({ heading, entries }) => ({
      heading,
      entries: entries.filter(({ label }) => matches(label, text)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

function pages({ may }: Permissions): PaletteEntry[] {
  const entries = openEntries([...MAIN, ...ADMINISTRATION], may).flatMap(pagesOf);
  return [
    ...entries,
    {
      key: 'profile',
      label: navigation.profile,
      note: '',
      icon: IconUserCircle,
      target: { to: '/profile' },
    },
  ];
}

function pagesOf({ icon, parts, ...page }: Entry): PaletteEntry[] {
  return (parts ?? [page]).map(({ to, label }) => ({ key: to, label, note: '', icon, target: { to } }));
}

function actions({ may, webhooksReadOnly }: Permissions, showShortcuts: () => void): PaletteEntry[] {
  const shortcuts = { key: 'shortcuts', label: palette.shortcuts.title, note: '', icon: IconKeyboard };
  const all: PaletteEntry[] = [{ ...shortcuts, target: showShortcuts }];
  const create = (key: string, label: string, target: PaletteEntry['target']) =>
    all.unshift({ key, label, note: '', icon: IconPlus, target });
  if (may('content:write')) {
    create('new-account', accounts.create.action, { to: '/accounts', search: { new: 'yes' } as never });
  }
  if (may('registrations:write')) {
    create('new-registration', registrations.create.action, {
      to: '/registrations',
      search: { new: 'yes' } as never,
    });
  }
  if (!webhooksReadOnly) {
    create('new-webhook', webhooks.add, { to: '/administration/integrations/webhooks/new' });
  }
  return all;
}

function matches(label: string, text: string): boolean {
  const words = wordsOf(label);
  return wordsOf(text).every((typed) => words.some((word) => word.startsWith(typed)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
