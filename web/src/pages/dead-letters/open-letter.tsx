import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { DeadLetter } from '../../api/dead-letters.ts';
import { webhookQuery } from '../../api/webhooks.ts';
import { useCloseWithin } from '../../navigation/opened-within.ts';
import { DeliveryDrawer } from '../webhooks/history/delivery-drawer.tsx';

const route = getRouteApi('/app/admin/administration/integrations/dead-letters');

/** The dead letter that the address opens, in a drawer with links to its neighbours in the list. */
export function OpenLetter({ letters }: { letters: readonly DeadLetter[] }) {
  const { delivery, of: webhookOf } = route.useSearch();
  const navigate = route.useNavigate();
  const close = useCloseWithin(
    () =>
      void navigate({
        search: ({ delivery: _closed, of: _closedOf, ...others }) => others,
        replace: true,
        resetScroll: false,
      }),
  );
  const webhook = useQuery({ ...webhookQuery(webhookOf ?? 0), enabled: webhookOf !== undefined });
  const at = letters.findIndex(({ id }) => id === delivery);
  return (
    <DeliveryDrawer
      webhookId={webhookOf ?? 0}
      deliveryId={webhookOf === undefined ? null : (delivery ?? null)}
      webhook={webhook.error === null ? (webhook.data?.record ?? null) : null}
      neighbours={{
        previous: letters[at - 1]?.id ?? null,
        next: at < 0 ? null : (letters[at + 1]?.id ?? null),
      }}
      onOpen={(to) =>
        void navigate({
          search: ((current: object) => ({
            ...current,
            delivery: to,
            of: letters.find(({ id }) => id === to)?.webhook_id,
          })) as never,
          replace: true,
          state: (current) => current,
          resetScroll: false,
        })
      }
      onClose={close}
    />
  );
}
