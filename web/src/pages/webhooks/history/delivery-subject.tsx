import type { DeliverySummary } from '../../../api/deliveries.ts';
import { deliveries } from '../../../texts/deliveries.ts';

/** The subject of a message in one line: its learner, account, and course or content. */
export function DeliverySubject({ about }: { about: DeliverySummary['about'] }) {
  const what = about.course?.name ?? about.content?.name;
  const others = about.content_count - 1;
  const parts = [about.learner_id, about.account?.name, what].filter((part) => part != null);
  return (
    <>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two parts may be the same text; their order never changes.
        <span key={at}>
          {at > 0 && ' · '}
          <bdi title={part}>{part}</bdi>
        </span>
      ))}
      {others > 0 && ` ${deliveries.andMore(others)}`}
    </>
  );
}
