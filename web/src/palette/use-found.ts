import { IconApi, IconCertificate, IconHistory, IconPlugConnected, IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { assetKey } from '../../../src/events/asset-key.ts';
import { FOCUS_TYPES } from '../../../src/events/catalogue.ts';
import { assetSearchQuery } from '../api/assets.ts';
import { clientListQuery } from '../api/clients.ts';
import { eventsQuery } from '../api/events.ts';
import { registrationListQuery, registrationQuery } from '../api/registrations.ts';
import { webhookListQuery } from '../api/webhooks.ts';
import { iconOf } from '../components/asset-icon.tsx';
import { addressOf } from '../components/asset-link.tsx';
import type { Need } from '../session/session-context.ts';
import { palette } from '../texts/palette.ts';
import { shared } from '../texts/shared.ts';
import { webhooks as webhookTexts } from '../texts/webhooks.ts';
import type { PaletteGroup } from './palette-entry.ts';

/** Maximum number of results of each kind. */
const LIMIT = 5;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Results are not refreshed, so that they do not change under the cursor. */
const ONCE = { refetchInterval: false, refetchOnWindowFocus: false, retry: false } as const;

/** The results of a search. */
export interface Found {
  groups: PaletteGroup[];
  isSearching: boolean;
  /** The first failure. The results of successful requests are still present. */
  error: Error | null;
}

/**
 * Finds webhooks, API clients, accounts, content and registrations by name or id, and the event of a message by its id.
 * An empty text sends no request.
 * @param may what the signed-in person may read
 */
export function useFound(text: string, may: (need: Need) => boolean): Found {
  const enabled = text !== '';
  const readsContent = may('content:read');
  const isId = UUID.test(text);
  const query = { search: text, limit: LIMIT, offset: 0 };
  const [webhooks, clients, assets, learners, registration, event] = useQueries({
    queries: [
      { ...webhookListQuery(query), ...ONCE, enabled: enabled && may('webhooks:read') },
      { ...clientListQuery(query), ...ONCE, enabled: enabled && may('admin') },
      { ...assetSearchQuery(FOCUS_TYPES, text), ...ONCE, enabled: enabled && readsContent },
      { ...registrationListQuery(query), ...ONCE, enabled: enabled && readsContent },
      { ...registrationQuery(text.toLowerCase()), ...ONCE, enabled: isId && readsContent },
      {
        ...eventsQuery({ message_id: text.toLowerCase() }, 1),
        ...ONCE,
        enabled: isId && may('webhooks:read'),
        // The event of another message would be opened in its place.
        placeholderData: () => undefined,
      },
    ],
  });
  const all = [webhooks, clients, assets, learners, event];
  const groups: PaletteGroup[] = [
    {
      heading: palette.groups.webhooks,
      entries: (webhooks.data?.data ?? []).map(({ id, name }) => ({
        key: `webhook ${id}`,
        label: name,
        note: `#${id}`,
        icon: IconPlugConnected,
        target: { to: '/administration/integrations/webhooks/$webhookId', params: { webhookId: id } },
      })),
    },
    {
      heading: palette.groups.clients,
      entries: (clients.data?.data ?? []).map(({ client_id, name }) => ({
        key: `client ${client_id}`,
        label: name,
        note: client_id,
        icon: IconApi,
        target: { to: '/administration/integrations/clients', search: { search: client_id } as never },
      })),
    },
    {
      heading: palette.groups.assets,
      entries: (assets.data ?? []).slice(0, LIMIT).map(({ type, id, name, location }) => ({
        key: assetKey({ type, id }),
        label: name,
        note: [shared.assets.types[type], location, `#${id}`].filter(Boolean).join(' · '),
        icon: iconOf(type),
        target: addressOf(type, id),
      })),
    },
    {
      heading: palette.groups.registrations,
      entries: [
        ...(registration.data === undefined ? [] : [registration.data.record]),
        ...(learners.data?.data ?? []),
      ].map((found) => ({
        key: `registration ${found.registration_id}`,
        label: found.learner_id,
        note: 'course_name' in found ? (found.course_name ?? '') : found.registration_id,
        icon: IconCertificate,
        target: {
          to: '/registrations/$registrationId',
          params: { registrationId: found.registration_id },
        },
      })),
    },
    {
      heading: palette.groups.messages,
      entries: (event.data?.data ?? []).map(({ id, subtopic }) => ({
        key: `event ${id}`,
        label: webhookTexts.subtopics[subtopic].name,
        note: palette.eventOf(id),
        icon: IconHistory,
        target: { to: '/administration/integrations/events/$eventId', params: { eventId: id } },
      })),
    },
  ];
  if ((learners.data?.data.length ?? 0) === LIMIT) {
    groups.push({
      heading: '',
      entries: [
        {
          key: 'all registrations',
          label: palette.allRegistrations(text),
          note: '',
          icon: IconSearch,
          target: { to: '/registrations', search: { search: text } as never },
        },
      ],
    });
  }
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: all.some(({ isFetching }) => isFetching) || registration.isFetching,
    error: all.find(({ error }) => error !== null)?.error ?? null,
  };
}
