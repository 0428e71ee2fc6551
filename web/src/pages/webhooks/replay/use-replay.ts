import { useQueryClient } from '@tanstack/react-query';
import { endOfEvents, eventsKey, replayEvents } from '../../../api/events.ts';
import { switchWebhook, webhooksKey } from '../../../api/webhooks.ts';
import { notifyLeft } from '../../../components/notify.tsx';
import { type RunState, useRun } from '../../../components/use-run.ts';
import { webhookReplay as texts } from '../../../texts/webhook-replay.ts';

/** The events to send to a webhook. */
export interface ReplayPlan {
  webhookId: number;
  /** Whether the webhook is activated first. */
  activate: boolean;
  from: string;
  /** Null: now. Later events are sent anyway. */
  to: string | null;
  again: boolean;
}

/** The progress of a replay. */
export interface ReplayRun extends RunState {
  plan: ReplayPlan;
  queued: number;
  /** The cursor of the next step. */
  cursor: string | undefined;
}

/**
 * Replays events to a webhook step by step, until it is stopped. A step can safely be repeated after a failure, because
 * a webhook gets only one message of each event. With `again`, the end is set before the first step.
 */
export function useReplay() {
  const queryClient = useQueryClient();
  const { start, ...replay } = useRun<ReplayRun>({
    step: replayStep,
    onLeft: notifyRun,
    onEnd: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: webhooksKey }),
        queryClient.invalidateQueries({ queryKey: eventsKey }),
      ]),
  });
  return {
    ...replay,
    start: (plan: ReplayPlan) => start({ phase: 'running', plan, queued: 0, cursor: undefined, error: null }),
  };
}

/** Activating the webhook and setting the end are steps of their own, so that a later failure does not repeat them. */
async function replayStep(run: ReplayRun): Promise<ReplayRun> {
  const { plan } = run;
  if (plan.activate) {
    await switchWebhook(plan.webhookId, { enabled: true });
    return { ...run, plan: { ...plan, activate: false } };
  }
  // If a failed step were repeated without an end, it would send what the webhook got in the meantime again.
  if (plan.again && plan.to === null) {
    const to = await endOfEvents();
    return to === null ? { ...run, phase: 'done' } : { ...run, plan: { ...plan, to } };
  }
  const { replayed, next_cursor: next } = await replayEvents(plan.webhookId, {
    ...plan,
    cursor: run.cursor,
    dryRun: false,
  });
  const phase = next === null ? 'done' : 'running';
  return { ...run, phase, queued: run.queued + replayed, cursor: next ?? undefined };
}

/** Shows how a replay ended whose page was left. */
function notifyRun({ phase, queued, error }: ReplayRun): void {
  const words = texts[phase === 'done' ? 'done' : 'stopped'](queued);
  notifyLeft(texts.title, words, error);
}
