import { notifications } from '@mantine/notifications';
import { uploads } from '../../texts/uploads.ts';
import { useContent } from './content-context.ts';
import type { ChosenFiles } from './uploads/chosen-files.ts';
import type { UploadTarget } from './uploads/upload-queue.ts';

const words = uploads.notUploaded;
const SHOWN_MS = 15_000;
const NAMES_SHOWN = 3;

/** Queues the packages among chosen files, and reports the other files. */
export function useUpload(): (chosen: ChosenFiles, target: UploadTarget) => void {
  const queue = useContent().uploads;
  return ({ packages, folders, others }, target) => {
    const tooMany = target.kind === 'version' && packages.length > 1;
    const problems = [
      ...(folders.length > 0 ? [words.folders(listed(folders))] : []),
      ...(others.length > 0 ? [words.others(listed(others.map(({ name }) => name)))] : []),
      ...(tooMany ? [words.one] : []),
    ];
    if (problems.length > 0) {
      notifications.show({
        title: words.title,
        message: problems.join(' '),
        color: 'red',
        autoClose: SHOWN_MS,
        role: 'alert',
      });
    }
    if (!tooMany && packages.length > 0) queue.add(packages, target);
  };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} ${words.more(names.length - NAMES_SHOWN)}` : shown;
}
