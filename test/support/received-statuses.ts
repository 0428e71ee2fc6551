import type { RunningService, TestService } from './service.ts';
import type { Target } from './target.ts';

/** The statuses of a registration that a target received, in order. */
export function receivedStatuses({ requests }: Target, registrationId: string): Record<string, unknown>[] {
  return requests
    .map(({ json }) => json as { user: string; resource: { registration: Record<string, unknown> } })
    .filter(({ resource }) => resource.registration.registration_id === registrationId)
    .map(({ user, resource }) => {
      const { completion, success, score, duration } = resource.registration;
      return { user, completion, success, score, duration };
    });
}

/** The completion, success and score of each change that a target received, in order. */
export function receivedResults(target: Target, registrationId: string): unknown[] {
  return receivedStatuses(target, registrationId).map(({ completion, success, score }) => [
    completion,
    success,
    score,
  ]);
}

/** The completion, success and score of a registration. */
export async function statusOf({ api }: RunningService, registrationId: string): Promise<unknown[]> {
  const { completion, success, score } = (await api.get(`/registrations/${registrationId}`)).body;
  return [completion, success, score];
}

/** Subscribes a target to every change of the status of a registration. */
export async function subscribeToResults(service: TestService, target: Target): Promise<void> {
  await service.api.create('/webhooks', {
    name: 'Results',
    topic: 'REGISTRATION',
    subtopics: ['REGISTRATION_STATUS_UPDATED'],
    target_url: target.url,
  });
}
