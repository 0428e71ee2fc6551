import { Button } from '@mantine/core';
import type { DeadLetterAction } from '../../api/dead-letters.ts';
import { useRedelivery } from '../../components/dead-letters/redelivery-dialog.tsx';
import { deadLetters } from '../../texts/dead-letters.ts';
import type { historyFilter } from '../webhooks/history/history-search.ts';

type Filter = ReturnType<typeof historyFilter>;

/**
 * Redelivers or removes all dead letters of the list. Returns the buttons, and the dialog that asks and shows progress.
 * @param webhook the only webhook of the list; null for all
 * @param filter the filters of the list; null without filters
 */
export function useLetterActions(webhook: { id: number; name: string } | null, filter: Filter | null) {
  const redelivery = useRedelivery();
  const start = (action: DeadLetterAction) =>
    redelivery.ask({ action, webhook, filter: filter === null ? null : filterBody(filter) });
  const labelOf = (action: DeadLetterAction) => {
    const { actionOfMatching, action: ofAll, actionOfOne } = deadLetters.runs[action];
    if (filter !== null) return actionOfMatching;
    return webhook === null ? ofAll : actionOfOne;
  };
  const buttons = (
    <>
      <Button variant="default" onClick={() => start('remove')}>
        {labelOf('remove')}
      </Button>
      <Button variant="default" onClick={() => start('redeliver')}>
        {labelOf('redeliver')}
      </Button>
    </>
  );
  return { buttons, dialog: redelivery.dialog };
}

/** In a body, repeatable query parameters are lists. */
function filterBody({ subtopic, response_status: status, ...others }: Filter) {
  return {
    ...others,
    ...(subtopic === undefined ? {} : { subtopic: [subtopic] }),
    ...(status === undefined ? {} : { response_status: [status] }),
  };
}
