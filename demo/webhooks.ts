import type { Subtopic } from '../src/events/catalogue.ts';
import type { ApiClient } from './api-client.ts';
import type { Target } from './targets.ts';
import { PATIENCE_MS, poll } from './waiting.ts';

/** A webhook of the demo. */
export interface Webhook {
  readonly id: number;
  readonly target: Target;
  readonly targetUrl: string;
}

/** A message in the dead-letter queue. */
export interface DeadLetter {
  readonly subtopic: Subtopic;
  readonly attempts: number;
  readonly error: string | null;
  readonly updated_dt: string;
}

/** The state of a webhook's deliveries, as the service reports it. */
export interface Standing {
  readonly webhook: Webhook;
  readonly success_count: number;
  readonly error_count: number;
  readonly last_error_message: string | null;
  readonly in_error: boolean;
  readonly deadLetters: readonly DeadLetter[];
}

/** Creates the webhook of a target. */
export async function createWebhook(api: ApiClient, target: Target, targetUrl: string): Promise<Webhook> {
  const { name, topic, subtopics, focus, credentials, maxAttempts } = target;
  const { id } = await api.send<{ id: number }>('POST', '/webhooks', {
    name,
    topic,
    ...(subtopics !== null && { subtopics }),
    ...(focus !== null && { focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: focus.id }] }),
    target_url: targetUrl,
    ...(credentials !== null && { authentication: { type: 'BASIC', ...credentials } }),
    ...(maxAttempts !== null && { max_attempts: maxAttempts }),
  });
  return { id, target, targetUrl };
}

/** Waits until a webhook has this many dead letters, and returns them, oldest first. */
export async function deadLettersOnceThere(
  api: ApiClient,
  webhook: Webhook,
  count: number,
  signal: AbortSignal,
): Promise<DeadLetter[]> {
  const what = `${webhook.target.name} has ${count} of its messages in the dead-letter queue`;
  return await poll({ what, deadlineMs: PATIENCE_MS, signal }, async () => {
    const deadLetters = await readDeadLetters(api, webhook);
    return deadLetters.length >= count ? deadLetters : null;
  });
}

/** Waits until the line of a webhook is empty, and returns its state. */
export async function standingOf(api: ApiClient, webhook: Webhook, signal: AbortSignal): Promise<Standing> {
  const path = `/webhooks/${webhook.id}`;
  const what = `nothing waits for ${webhook.target.name} any more`;
  await poll({ what, deadlineMs: PATIENCE_MS, signal }, async () => {
    const { depth } = await api.get<{ depth: number }>(`${path}/line`);
    return depth === 0 ? true : null;
  });
  type Statistics = Pick<Standing, 'success_count' | 'error_count' | 'last_error_message'>;
  const { success_count, error_count, last_error_message } = await api.get<Statistics>(`${path}/statistics`);
  const { in_error } = await api.get<{ in_error: boolean }>(path);
  const deadLetters = await readDeadLetters(api, webhook);
  return { webhook, success_count, error_count, last_error_message, in_error, deadLetters };
}

async function readDeadLetters(api: ApiClient, webhook: Webhook): Promise<DeadLetter[]> {
  const path = `/webhooks/${webhook.id}/deliveries?status=DEAD_LETTERED`;
  const { data } = await api.get<{ data: DeadLetter[] }>(path);
  return data.reverse();
}
