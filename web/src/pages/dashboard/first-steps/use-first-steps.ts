import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { anyClientQuery } from '../../../api/dashboard.ts';
import { webhookListQuery } from '../../../api/webhooks.ts';
import { useIsAdmin } from '../../../session/session-context.ts';

/** The steps from a new service to its first postback, in order. */
export const FIRST_STEPS = ['course', 'client', 'webhook', 'postback'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** The progress of a new service. */
export interface FirstSteps {
  done: ReadonlySet<FirstStep>;
  /** The webhook whose history shows the postback; null while there is none. */
  webhookId: number | null;
  hide: () => void;
}

/** Where this browser stores that they are done or hidden. */
const STORED = 'coursewire-first-steps';
const OVER = 'over';
/** The webhook that has been successful most often. */
const FOREMOST = { sort: 'success_count', direction: 'desc', limit: 1 };

/**
 * The first steps of a new service, for administrators. Null if they are done or hidden; undefined while that is
 * unknown. A completed step stays completed, because statistics can be reset and webhooks deleted.
 */
export function useFirstSteps(courses: number | undefined): FirstSteps | null | undefined {
  const isAdmin = useIsAdmin();
  const [over, setOver] = useState(() => !isAdmin || readIsOver());
  const clients = useQuery({ ...anyClientQuery, enabled: !over });
  const webhooks = useQuery({ ...webhookListQuery(FOREMOST), enabled: !over });
  const webhook = webhooks.data?.data[0];
  const known = courses !== undefined && clients.data !== undefined && webhooks.data !== undefined;
  const done = new Set<FirstStep>();
  if ((courses ?? 0) > 0) done.add('course');
  if (clients.data === true) done.add('client');
  if (webhook !== undefined) done.add('webhook');
  if (webhook !== undefined && webhook.success_count > 0) done.add('postback');
  const isComplete = known && done.size === FIRST_STEPS.length;
  const end = () => {
    storeIsOver();
    setOver(true);
  };
  useEffect(() => {
    if (!isComplete) return;
    storeIsOver();
    setOver(true);
  }, [isComplete]);
  if (over || isComplete || clients.isError || webhooks.isError) return null;
  return known ? { done, webhookId: webhook?.id ?? null, hide: end } : undefined;
}

function readIsOver(): boolean {
  try {
    return localStorage.getItem(STORED) === OVER;
  } catch {
    return false;
  }
}

function storeIsOver(): void {
  try {
    localStorage.setItem(STORED, OVER);
  } catch {
    // If nothing can be stored, they are hidden until the page is reloaded.
  }
}
