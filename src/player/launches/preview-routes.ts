import { type Static, Type } from 'typebox';
import { VersionId } from '../../content/courses/course-schemas.ts';
import { callerOf } from '../../http/authorization.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, describedAs, PathId } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';

const PreviewParams = Type.Object({
  course_id: PathId('The id of the course.'),
  version_id: describedAs(
    Type.String({ description: 'The id of the version. It need not be published.' }),
    VersionId(),
  ),
});

/** A link that opens a version without recording anything. */
export const PreviewRecord = Type.Object(
  {
    preview_url: Type.String({
      description: 'Opens the course in a browser. Anyone with the URL can open it.',
    }),
    expires_dt: DateTime('When the URL expires.'),
  },
  { title: 'CoursePreview', description: 'A preview of a version of a course.' },
);
export type PreviewRecord = Static<typeof PreviewRecord>;

/** Begins a preview. @throws {ProblemError} `not-found`, `conflict` for a standard that cannot be played */
export type StartPreview = (preview: {
  courseId: number;
  versionId: number;
  /** The learner id that the course reads. */
  user: string;
}) => Promise<{ url: string; expiresAt: number }>;

/** The routes of the automation API for previews of course versions. */
export function previewRoutes(routes: Routes, startPreview: StartPreview): void {
  routes.post(
    '/courses/:course_id/versions/:version_id/preview',
    {
      config: { scope: 'content:write' },
      schema: {
        tags: ['Courses'],
        operationId: 'previewCourseVersion',
        summary: 'Preview a version of a course',
        description:
          'Returns a URL that opens the version as learners would see it, even before it is published. Nothing is ' +
          'recorded, and no event is triggered.',
        params: PreviewParams,
        response: {
          200: PreviewRecord,
          ...problems(404, { 409: 'The standard of the course cannot be played.' }),
        },
      },
    },
    async (request): Promise<PreviewRecord> => {
      const { url, expiresAt } = await startPreview({
        courseId: parseId(request.params.course_id, 'course'),
        versionId: parseVersionId(request.params.version_id),
        user: callerOf(request).user,
      });
      return { preview_url: url, expires_dt: formatDateTime(expiresAt) };
    },
  );
}

/** Version ids start from 0. */
function parseVersionId(text: string): number {
  return text === '0' ? 0 : parseId(text, 'version');
}
