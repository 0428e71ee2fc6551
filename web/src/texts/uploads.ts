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
  retryAll: 'Retry all',
  cancel: (name: string) => `Cancel ${isolate(name)}`,
  retry: (name: string) => `Retry ${isolate(name)}`,
  retryShort: 'Retry',
  dismiss: (name: string) => `Dismiss ${isolate(name)}`,
  progressOf: (name: string) => `Progress of ${isolate(name)}`,
  into: (folder: string) => `to “${isolate(folder)}”`,
  ofCourse: (course: string) => `new version of “${isolate(course)}”`,
  states: {
    waiting: 'Waiting',
    sending: (percent: number) => `${percent} %`,
    checking: 'Uploaded. Reading the package…',
    imported: 'Imported',
    version: (version: number) => `Version ${version}, not published yet`,
    cancelled: 'Cancelled',
    failed: 'Failed',
    refused: 'Rejected',
  },
  open: 'Open course',
  warnings: (count: number) => (count === 1 ? 'Imported with 1 warning' : `Imported with ${count} warnings`),
  announceDone: (name: string) => `${isolate(name)}: imported`,
  announceFailed: (name: string) => `${isolate(name)}: failed`,
  problems: {
    broken: 'The connection was lost during the upload. Retry: nothing is imported twice.',
    gone: 'The file can no longer be read. It was changed, moved or deleted after you chose it. Choose it again.',
    tooLarge: 'The package is too large.',
    tooLargeAdvice: 'The operator of the service can raise the limit (max_package_size).',
    folder: 'The folder no longer exists. Choose the file again in another folder.',
    course: 'The course no longer exists.',
    session: 'Your session has ended. Sign in, then try again.',
  },
  notUploaded: {
    title: 'Not uploaded',
    folders: (names: string) =>
      `${isolate(names)}: folders cannot be uploaded. Zip the course and upload the zip file.`,
    others: (names: string) => `${isolate(names)}: course packages must be zip files or a cmi5.xml.`,
    one: 'A version consists of one package. Choose a single zip file.',
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
