import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { eventWebhookQuery, eventWebhooksQuery } from '../../api/events.ts';
import { foundWebhooksQuery } from '../../api/webhooks.ts';
import { type Found, FoundSelect } from '../../components/found-select.tsx';
import { Panel } from '../../components/panel.tsx';
import { Unread } from '../../components/unread.tsx';
import { events } from '../../texts/events.ts';
import styles from './events.module.css';
import { OutcomeRow } from './outcome-row.tsx';
import { useWaitingReasons } from './waiting-reason.tsx';

const route = getRouteApi('/app/admin/administration/integrations/events/$eventId');
const texts = events.details.finder;

/** Finds the outcome of an event for one webhook, if there are too many webhooks for a page. */
export function WebhookFinder({ eventId }: { eventId: number }) {
  const { webhook_id: chosen = null } = route.useSearch();
  const navigate = route.useNavigate();
  const lists = [useQuery(eventWebhooksQuery(eventId, true)), useQuery(eventWebhooksQuery(eventId, false))];
  const outcome = useQuery({ ...eventWebhookQuery(eventId, chosen ?? 0), enabled: chosen !== null });
  const shown = outcome.data?.data[0];
  const reasons = useWaitingReasons(outcome.data?.data);
  const isLong = lists.some(({ data }) => (data?.next_cursor ?? null) !== null);
  if (!isLong && chosen === null) return null;
  return (
    <Panel title={texts.title} description={texts.description} flush>
      <div className={styles.finder}>
        <FoundSelect
          label={texts.label}
          placeholder={texts.label}
          chosen={chosen === null ? null : { id: chosen, name: shown?.name ?? null }}
          useFound={useFoundWebhooks}
          words={texts}
          onChange={(id) =>
            void navigate({
              // The route validates it.
              search: (id === null ? {} : { webhook_id: id }) as never,
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {chosen !== null &&
        (outcome.data === undefined ? (
          <Unread query={outcome} />
        ) : shown === undefined ? (
          <p className={styles.note}>{texts.gone}</p>
        ) : (
          <ul className={styles.list} aria-label={texts.title}>
            <OutcomeRow outcome={shown} reason={reasons.get(shown.webhook_id)} />
          </ul>
        ))}
    </Panel>
  );
}

function useFoundWebhooks(search: string, enabled: boolean): Found {
  return useQuery({
    ...foundWebhooksQuery(search),
    select: ({ data }) => data,
    enabled,
  });
}
