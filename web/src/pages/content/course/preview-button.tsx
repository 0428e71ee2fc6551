import { useMutation } from '@tanstack/react-query';
import { previewVersion } from '../../../api/courses.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { notifyError, notifyNote } from '../../../components/notify.tsx';
import { courses } from '../../../texts/courses.ts';

const words = courses.versions;

/** Opens a version in a new window, as learners would see it. Nothing is recorded. */
export function PreviewButton({ courseId, versionId }: { courseId: number; versionId: number }) {
  const preview = useMutation({
    mutationFn: async (opened: Window) => {
      try {
        const { preview_url: url } = await previewVersion(courseId, versionId);
        // The course is a program of someone else and must not access this window.
        opened.opener = null;
        opened.location.replace(url);
      } catch (error) {
        opened.close();
        throw error;
      }
    },
    onError: notifyError,
  });
  return (
    <BusyButton
      size="xs"
      variant="default"
      aria-label={words.previewOf(versionId)}
      isBusy={preview.isPending}
      onClick={() => {
        // Opened by the click itself, so that no blocker intervenes. Its address follows a moment later.
        const opened = window.open('about:blank', '_blank');
        if (opened === null) notifyNote(words.previewBlocked);
        else preview.mutate(opened);
      }}
    >
      {words.preview}
    </BusyButton>
  );
}
