import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { importCourse, uploadVersion } from '../../api/courses.ts';
import { isUnauthorized } from '../../api/errors.ts';
import { contentKey, HOME_ID } from '../../api/folders.ts';
import { sessionQuery } from '../../api/session.ts';
import { ContentContext, type ContentState, type Dragging, NOTHING_DRAGGED } from './content-context.ts';
import { LeavingUploads } from './uploads/leaving-uploads.tsx';
import { UploadDock } from './uploads/upload-dock.tsx';
import { UploadQueue } from './uploads/upload-queue.ts';

/** The layout of all content pages. Uploads continue while people look at other folders and courses. */
export function ContentLayout() {
  const queryClient = useQueryClient();
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(() => new Set([HOME_ID]));
  const dragged = useRef<Dragging>(NOTHING_DRAGGED);
  const [uploads] = useState(
    () =>
      new UploadQueue(
        (file, target, options) =>
          target.kind === 'course'
            ? importCourse(file, target.folderId, options)
            : uploadVersion(file, target.courseId, options),
        ({ state }) => {
          if (state.kind === 'failed' && isUnauthorized(state.error))
            void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
          // A cancelled upload may have been imported just before.
          void queryClient.invalidateQueries({ queryKey: contentKey });
        },
      ),
  );
  // Not for the double mounting of development mode, but when the content pages are really left.
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
      queueMicrotask(() => {
        if (left.current) uploads.cancelAll();
      });
    };
  }, [uploads]);
  const state = useMemo<ContentState>(
    () => ({ uploads, expanded, setExpanded, dragged }),
    [uploads, expanded],
  );
  return (
    <ContentContext value={state}>
      <Outlet />
      <UploadDock queue={uploads} />
      <LeavingUploads queue={uploads} />
    </ContentContext>
  );
}
