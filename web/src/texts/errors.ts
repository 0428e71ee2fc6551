import { counted } from './counted.ts';

/** Error messages: what happened, then what to do. */
export const errors = {
  unreachable: {
    title: 'The service is not responding',
    advice: 'Check your connection. If others cannot reach it either, check that the service is running.',
  },
  forbidden: {
    title: 'You do not have permission to do this',
    advice: 'It requires the administrator role. Ask an administrator for it.',
  },
  missing: {
    title: 'This no longer exists',
    advice: 'It may have been deleted, or the URL may be wrong.',
  },
  conflict: { title: 'This conflicts with the current state', advice: '' },
  changed: {
    title: 'Someone else changed this in the meantime',
    advice: 'Reload to see the current state, then make your change again.',
  },
  readOnly: {
    title: 'Webhooks are Read Only',
    advice: 'The webhooks service is disabled (enable_webhooks_service). Nothing was changed.',
  },
  tooMany: {
    title: 'Too many attempts',
    advice: (seconds: number | null) =>
      seconds === null ? 'Wait a moment, then try again.' : `Try again in ${waiting(seconds)}.`,
  },
  unavailable: {
    title: 'The service is temporarily unavailable',
    advice: 'This usually resolves itself. Try again shortly.',
  },
  internal: {
    title: 'Something went wrong',
    advice: 'Try again. If it happens again, look for the cause in the service log.',
  },
  refused: { title: 'The request was rejected', advice: '' },
  page: {
    title: 'This page stopped working',
    advice: 'Reload it. Everything that was saved is safe.',
    reload: 'Reload',
  },
  updated: {
    title: 'Coursewire was updated',
    advice: 'This page belongs to the previous version. Reload it to continue.',
  },
  notFound: {
    title: 'Page not found',
    advice: 'It may have moved, or the URL may be wrong.',
    home: 'Go to the dashboard',
  },
} as const;

function waiting(seconds: number): string {
  if (seconds < 90) return counted(Math.ceil(seconds), 'second', 'seconds');
  return counted(Math.ceil(seconds / 60), 'minute', 'minutes');
}
