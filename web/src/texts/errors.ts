/** What is said when something fails: what happened, then what to do. */
export const errors = {
  unreachable: {
    title: 'The service does not answer',
    advice: 'Check your connection. If others cannot reach it either, see whether the service runs.',
  },
  forbidden: {
    title: 'You may not do this',
    advice: 'It needs the role of an administrator. Ask one for it.',
  },
  missing: {
    title: 'This no longer exists',
    advice: 'Someone may have deleted it, or the address has a mistake.',
  },
  conflict: { title: 'This is not possible as things stand', advice: '' },
  changed: {
    title: 'Someone else changed this in the meantime',
    advice: 'Reload to see the present state, then make your change again.',
  },
  readOnly: {
    title: 'Webhooks are Read Only',
    advice: 'The webhooks service is disabled (enable_webhooks_service). Nothing was changed.',
  },
  tooMany: {
    title: 'Too many attempts',
    advice: (seconds: number | null) =>
      seconds === null ? 'Wait a little, then try again.' : `Try again in ${waiting(seconds)}.`,
  },
  unavailable: {
    title: 'The service cannot do this at the moment',
    advice: 'It usually passes by itself. Try again shortly.',
  },
  internal: {
    title: 'Something went wrong in the service',
    advice: 'Try again. If it happens again, the log of the service has the cause.',
  },
  refused: { title: 'This was not possible', advice: '' },
  page: {
    title: 'This page stopped working',
    advice: 'Reload it. What was saved before is safe.',
    reload: 'Reload',
  },
  updated: {
    title: 'Coursewire was updated',
    advice: 'This page belongs to the version before. Reload it to go on.',
  },
  notFound: {
    title: 'There is nothing at this address',
    advice: 'It may have moved, or the address has a mistake.',
    home: 'Go to the dashboard',
  },
} as const;

function waiting(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${Math.ceil(seconds)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
