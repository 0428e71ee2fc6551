import type { TestService } from './service.ts';
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

/** Lets a target hear of every change of a registration's status. */
export async function hearResults(service: TestService, target: Target): Promise<void> {
  await service.api.create('/webhooks', {
    name: 'Results',
    topic: 'REGISTRATION',
    subtopics: ['REGISTRATION_STATUS_UPDATED'],
    target_url: target.url,
  });
}
