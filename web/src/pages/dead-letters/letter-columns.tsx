import { Link } from '@tanstack/react-router';
import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import type { DeadLetter } from '../../api/dead-letters.ts';
import { RowLink } from '../../components/row-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { OPENED_WITHIN } from '../../navigation/opened-within.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { DeliverySubject } from '../webhooks/history/delivery-subject.tsx';
import styles from './dead-letters.module.css';
import { ResendButton } from './resend-button.tsx';

const { columns: words } = deadLetters;

/** The columns of the dead letters. Those who may only read cannot redeliver. */
export function letterColumns(readOnly: boolean): readonly Column<DeadLetter>[] {
  return [
    {
      id: 'event',
      label: words.event,
      card: 'title',
      width: '15rem',
      cell: (letter) => <EventCell letter={letter} />,
    },
    {
      id: 'webhook',
      label: words.webhook,
      width: '9rem',
      cell: (letter) => <WebhookCell letter={letter} />,
    },
    {
      id: 'error',
      label: words.error,
      cell: (letter) => (
        <span className={styles.error} title={letter.last_error_message ?? undefined}>
          <bdi>
            {letter.last_error_message === null
              ? deadLetters.notTried
              : postbackFailureReason(letter.last_error_message)}
          </bdi>
        </span>
      ),
    },
    {
      id: 'attempts',
      isSpare: true,
      label: words.attempts,
      align: 'end',
      width: '5.5rem',
      cell: (letter) => formatNumber(letter.attempts),
    },
    {
      id: 'occurred',
      isSpare: true,
      label: words.occurred,
      width: '6.25rem',
      cell: (letter) => <Time value={letter.event_dt} format="clock" />,
    },
    {
      id: 'given',
      label: words.given,
      width: '6.25rem',
      cell: (letter) => <Time value={letter.dead_lettered_dt} format="clock" />,
    },
    ...(readOnly
      ? []
      : [
          {
            id: 'actions',
            label: deadLetters.resend,
            width: '7rem',
            card: 'actions' as const,
            cell: (letter: DeadLetter) => <ResendButton letter={letter} />,
          },
        ]),
  ];
}

function EventCell({ letter }: { letter: DeadLetter }) {
  return (
    <div className={styles.event}>
      <EventLink letter={letter} event={webhooks.subtopics[letter.subtopic].name} />
      <div className={styles.subject}>
        <DeliverySubject about={letter.about} />
      </div>
    </div>
  );
}

function EventLink({ letter, event }: { letter: DeadLetter; event: string }) {
  return (
    <RowLink
      from="/administration/integrations/dead-letters"
      to="."
      // The route validates its members of the address.
      search={((current: object) => ({ ...current, delivery: letter.id, of: letter.webhook_id })) as never}
      state={OPENED_WITHIN}
      resetScroll={false}
      aria-label={deadLetters.open(event, letter.id)}
    >
      {event}
    </RowLink>
  );
}

function WebhookCell({ letter }: { letter: DeadLetter }) {
  const name = letter.webhook_name ?? deadLetters.deletedWebhook(letter.webhook_id);
  return (
    <span className={styles.webhook}>
      {letter.webhook_deleted ? (
        <bdi title={name}>{name}</bdi>
      ) : (
        <Link
          to="/administration/integrations/webhooks/$webhookId"
          params={{ webhookId: letter.webhook_id }}
          className={styles.link}
        >
          <bdi title={name}>{name}</bdi>
        </Link>
      )}
      {letter.webhook_deleted ? (
        <StatusBadge tone="quiet">{deadLetters.deleted}</StatusBadge>
      ) : (
        !letter.webhook_enabled && <StatusBadge tone="quiet">{deadLetters.inactive}</StatusBadge>
      )}
    </span>
  );
}
