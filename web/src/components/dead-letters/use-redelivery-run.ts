import { useQueryClient } from '@tanstack/react-query';
import { type DeadLetterAction, deadLettersKey, stepOverDeadLetters } from '../../api/dead-letters.ts';
import { actOnMatching } from '../../api/deliveries.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { notifyLeft } from '../notify.tsx';
import { useRun } from '../use-run.ts';
import { after, afterMatching, beforeSteps, progressOf, type RedeliveryRun } from './redelivery-run.ts';

/** The dead letters that are redelivered or removed. */
export interface RedeliverySelection {
  action: DeadLetterAction;
  /** Null: all webhooks. */
  webhook: { id: number; name: string } | null;
  /** Members of the API; null for all dead letters. */
  filter: object | null;
  /** Whether the filter comes from the history, which may contain discarded messages. */
  ofHistory?: boolean;
}

/**
 * Redelivers or removes dead letters step by step, until it is stopped. A step whose response was lost is repeated with
 * the same key, so that it concerns no later messages.
 * @param onRun called when it has processed messages
 */
export function useRedeliveryRun(
  { action, webhook, filter, ofHistory = false }: RedeliverySelection,
  onRun: (() => void) | undefined,
) {
  const queryClient = useQueryClient();
  const { start, ...redelivery } = useRun<RedeliveryRun>({
    step: async (state) =>
      ofHistory && webhook !== null && filter !== null
        ? afterMatching(state, await actOnMatching(action, webhook.id, filter, state))
        : after(
            state,
            await stepOverDeadLetters(action, { ...state, webhookId: webhook?.id ?? null, filter }),
          ),
    onLeft: (state) => {
      const end: RedeliveryRun = state.phase === 'done' ? state : { ...state, phase: 'stopped' };
      notifyLeft(deadLetters.runs[action].title, progressOf(action, filter !== null, end), state.error);
    },
    onEnd: () => {
      onRun?.();
      return Promise.all([
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
        queryClient.invalidateQueries({ queryKey: webhooksKey }),
      ]);
    },
  });
  return { ...redelivery, start: () => start(beforeSteps()) };
}
