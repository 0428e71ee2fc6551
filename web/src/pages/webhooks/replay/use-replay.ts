import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { endOfEvents, eventsKey, replayEvents } from '../../../api/events.ts';
import { switchWebhook, webhooksKey } from '../../../api/webhooks.ts';
import { notifyLeft } from '../../../components/notify.tsx';
import { webhookReplay as texts } from '../../../texts/webhook-replay.ts';
import { useIsShown } from '../../../utilities/use-is-shown.ts';

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
export interface ReplayRun {
  phase: 'running' | 'stopped' | 'failed' | 'done';
  plan: ReplayPlan;
  queued: number;
  /** The cursor of the next step. */
  cursor: string | undefined;
  error: unknown;
}

/**
 * Replays events to a webhook step by step, until it is stopped. A step can safely be repeated after a failure, because
 * a webhook gets only one message of each event. With `again`, the end is set before the first step.
 */
export function useReplay(): {
  run: ReplayRun | null;
  start: (plan: ReplayPlan) => void;
  stop: () => void;
  resume: () => void;
} {
  const queryClient = useQueryClient();
  const [run, setRun] = useState<ReplayRun | null>(null);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);

  const go = async (from: ReplayRun) => {
    const stop = new AbortController();
    stopper.current = stop;
    let now: ReplayRun = { ...from, phase: 'running', error: null };
    setRun(now);
    try {
      if (now.plan.activate) {
        await switchWebhook(now.plan.webhookId, { enabled: true });
        now = { ...now, plan: { ...now.plan, activate: false } };
      }
      // If a failed step were repeated without an end, it would send what the webhook got meanwhile again.
      if (now.plan.again && now.plan.to === null)
        now = { ...now, plan: { ...now.plan, to: await endOfEvents() } };
      while (now.phase === 'running') {
        const { replayed, next_cursor: next } = await replayEvents(now.plan.webhookId, {
          ...now.plan,
          cursor: now.cursor,
          dryRun: false,
        });
        const phase = next === null ? 'done' : stop.signal.aborted ? 'stopped' : 'running';
        now = { ...now, phase, queued: now.queued + replayed, cursor: next ?? undefined };
        setRun(now);
      }
    } catch (error) {
      now = { ...now, phase: 'failed', error };
      setRun(now);
    }
    if (!isShown()) notifyRun(now);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: webhooksKey }),
      queryClient.invalidateQueries({ queryKey: eventsKey }),
    ]);
  };
  return {
    run,
    start: (plan) => void go({ phase: 'running', plan, queued: 0, cursor: undefined, error: null }),
    stop: () => stopper.current?.abort(),
    resume: () => {
      if (run !== null) void go(run);
    },
  };
}

/** Shows how a replay ended whose page was left. */
function notifyRun({ phase, queued, error }: ReplayRun): void {
  const words = texts[phase === 'done' ? 'done' : 'stopped'](queued);
  notifyLeft(texts.title, words, error);
}
