import { isolate } from '../utilities/isolate.ts';

/** Uploading packages. */
export const uploads = {
  label: 'Uploads',
  progress: (done: number, total: number) => `Uploading ${done} of ${total}`,
  finished: (count: number) => (count === 1 ? '1 upload finished' : `${count} uploads finished`),
  finishedWith: (done: number, failed: number) =>
    done === 0 ? `${failed} failed` : `${done} finished, ${failed} failed`,
  cancelled: 'Uploads cancelled',
  collapse: 'Hide list',
  expand: 'Show list',
  close: 'Close',
  cancelAll: 'Cancel all',
  retryAll: 'Try all again',
  cancel: (name: string) => `Cancel ${isolate(name)}`,
  retry: (name: string) => `Try ${isolate(name)} again`,
  retryShort: 'Try again',
  dismiss: (name: string) => `Take ${isolate(name)} off the list`,
  progressOf: (name: string) => `Progress of ${isolate(name)}`,
  into: (folder: string) => `to “${isolate(folder)}”`,
  ofCourse: (course: string) => `new version of “${isolate(course)}”`,
  states: {
    waiting: 'Waiting',
    sending: (percent: number) => `${percent} %`,
    checking: 'Sent. The package is being read…',
    imported: 'Imported',
    version: (version: number) => `Version ${version}, not published yet`,
    cancelled: 'Cancelled',
    failed: 'Failed',
    refused: 'Refused',
  },
  open: 'Open course',
  warnings: (count: number) =>
    count === 1 ? 'It works, with 1 warning' : `It works, with ${count} warnings`,
  announceDone: (name: string) => `${isolate(name)}: imported`,
  announceFailed: (name: string) => `${isolate(name)}: failed`,
  problems: {
    broken: 'The connection broke while it was sent. Try again: nothing is imported twice.',
    gone: 'The file can no longer be read: it was changed, moved or deleted since you chose it. Choose it again.',
    tooLarge: 'The package is too large.',
    tooLargeAdvice: 'Whoever runs the service can allow larger ones (max_package_size).',
    folder: 'The folder no longer exists. Choose the file again in another folder.',
    course: 'The course no longer exists.',
    session: 'Your session has ended. Sign in, then try again.',
  },
  notUploaded: {
    title: 'Not uploaded',
    folders: (names: string) =>
      `${isolate(names)}: folders cannot be uploaded. Zip the course and upload the zip file.`,
    others: (names: string) => `${isolate(names)}: only zip files, or a cmi5.xml, can be course packages.`,
    one: 'A version is one package. Choose a single zip file.',
    more: (count: number) => `and ${count} more`,
  },
  leave: {
    title: 'Stop uploading?',
    description: (count: number) =>
      count === 1
        ? 'An upload is not finished. It will be cancelled if you leave Content.'
        : `${count} uploads are not finished. They will be cancelled if you leave Content.`,
    stay: 'Stay',
    leave: 'Cancel uploads and leave',
  },
} as const;
