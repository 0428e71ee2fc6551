import fastifyMultipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { toCourseRecord } from './course-records.ts';
import { CourseParams } from './course-routes.ts';
import { CourseRecord, CourseUpload, VersionUpload } from './course-schemas.ts';
import type { CourseService } from './course-service.ts';
import { receivePackage, uploadLimits } from './package-upload.ts';
import { UploadConnection } from './upload-connection.ts';
import type { UploadFolder, UploadFolders } from './upload-folders.ts';

const WRITE = { scope: 'content:write' };
const tags = ['Courses'];
const consumes = ['multipart/form-data'];

/** What the upload routes work with. */
export interface CourseUploadOptions {
  courses: CourseService;
  uploads: UploadFolders;
  /** The setting `max_package_size`. */
  maxPackageBytes: number;
}

/**
 * The uploads of course packages in the automation API: a Fastify plugin, for these routes alone take
 * multipart forms, and nothing else. Their forms are held against the body schemas once they have been read.
 */
export async function courseUploadRoutes(
  app: FastifyInstance,
  { courses, uploads, maxPackageBytes }: CourseUploadOptions,
): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart, { limits: uploadLimits(maxPackageBytes) });
  const routes = app as unknown as Routes;

  /** Receives the form, then lets `use` work with it; whatever lies on the disk then is removed. */
  async function receiving<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    use: (upload: UploadFolder, fields: Record<string, unknown>, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    using connection = new UploadConnection(request, reply);
    const { signal } = connection;
    await using upload = await uploads.open();
    const fields = await receivePackage(request, upload, { maxPackageBytes, signal });
    connection.awaitAnswer();
    return await use(upload, fields, signal);
  }

  routes.post(
    '/courses',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        summary: 'Import a course',
        description:
          'Makes a course of a package, its version 0 published. Causes COURSE_IMPORTED. A package that cannot be ' +
          'used is refused with a problem of type `invalid-package`, which says why.',
        consumes,
        body: CourseUpload,
        response: { 201: CourseRecord, ...problems(400, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const course = await receiving(request, reply, async (upload, fields, signal) => {
        const { name, folder_id: folderId } = fields as Static<typeof CourseUpload>;
        const input = { name: name ?? null, folderId: folderId ?? null };
        return await courses.import(upload, input, { user: callerOf(request).user, signal });
      });
      return reply
        .code(201)
        .header('Location', `/courses/${course.id}`)
        .header('ETag', entityTag(course.revision))
        .send(toCourseRecord(course));
    },
  );

  routes.post(
    '/courses/:course_id/versions',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        summary: 'Upload a version of a course',
        description:
          'Adds the next version, not published yet. Causes COURSE_VERSION_UPLOADED. The answer is the course.',
        consumes,
        params: CourseParams,
        body: VersionUpload,
        response: { 201: CourseRecord, ...problems(400, 404, 412, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const id = parseId(request.params.course_id, 'course');
      // Asked before the body is read: a wrong id should not cost an upload.
      await courses.get(id);
      const course = await receiving(request, reply, (upload, _fields, signal) =>
        courses.uploadVersion(id, upload, {
          user: callerOf(request).user,
          signal,
          expected: expectedRevisions(request),
        }),
      );
      return reply
        .code(201)
        .header('Location', `/courses/${course.id}`)
        .header('ETag', entityTag(course.revision))
        .send(toCourseRecord(course));
    },
  );
}
