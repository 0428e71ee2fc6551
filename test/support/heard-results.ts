import type { RunningService, TestService } from './service.ts';
import type { Target } from './target.ts';

/** What a target heard of a registration's status, in order. */
export function heardOf({ requests }: Target, registrationId: string): Record<string, unknown>[] {
  return requests
    .map(({ json }) => json as { user: string; resource: { registration: Record<string, unknown> } })
    .filter(({ resource }) => resource.registration.registration_id === registrationId)
    .map(({ user, resource }) => {
      const { completion, success, score, duration } = resource.registration;
      return { user, completion, success, score, duration };
    });
}

/** The completion, success and score of each change that a target heard of, in order. */
export function statusesHeard(target: Target, registrationId: string): unknown[] {
  return heardOf(target, registrationId).map(({ completion, success, score }) => [
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

/** Lets a target hear of every change of a registration's status. */
export async function hearResults(service: TestService, target: Target): Promise<void> {
  await service.api.create('/webhooks', {
    name: 'Results',
    topic: 'REGISTRATION',
    subtopics: ['REGISTRATION_STATUS_UPDATED'],
    target_url: target.url,
  });
}
