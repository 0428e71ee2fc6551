import fastifyMultipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { toCourseRecord } from './course-records.ts';
import { CourseParams } from './course-routes.ts';
import { CourseRecord, CourseUpload, VersionUpload } from './course-schemas.ts';
import type { CourseService, UploadContext } from './course-service.ts';
import { receivePackage, uploadLimits } from './package-upload.ts';
import { UploadConnection } from './upload-connection.ts';
import type { UploadFolder, UploadFolders } from './upload-folders.ts';

const WRITE = { scope: 'content:write', isUpload: true };
const tags = ['Courses'];
const UNUSABLE =
  'The request is invalid, or the package cannot be used. `errors` names every invalid member.';
const consumes = ['multipart/form-data'];

/** Dependencies of the upload routes. */
export interface CourseUploadOptions {
  courses: CourseService;
  uploads: UploadFolders;
  idempotency: Idempotency;
  /** The setting `max_package_size`. */
  maxPackageBytes: number;
}

/** Handles an upload whose form has been received. */
type UseUpload = (
  upload: UploadFolder,
  fields: Record<string, unknown>,
  context: UploadContext<CourseRecord>,
) => Promise<CourseRecord>;

/**
 * Uploads of course packages in the automation API. It is a Fastify plugin because only these routes accept
 * multipart forms, and nothing else. Forms are validated against the body schemas after they have been read.
 */
export async function courseUploadRoutes(app: FastifyInstance, options: CourseUploadOptions): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(fastifyMultipart, { limits: uploadLimits(options.maxPackageBytes) });
  const routes = app as unknown as Routes;
  importCourseRoute(routes, options);
  uploadVersionRoute(routes, options);
}

function importCourseRoute(routes: Routes, options: CourseUploadOptions): void {
  routes.post(
    '/courses',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'importCourse',
        summary: 'Import a course',
        description:
          'Creates a course from a package and publishes it as version 0. Triggers COURSE_IMPORTED. An unusable package ' +
          'is rejected with a problem of type `invalid-package` that gives the reason.',
        consumes,
        body: CourseUpload,
        response: { 201: CourseRecord, ...problems({ 400: UNUSABLE }, 413, 415, 422, 503) },
      },
    },
    (request, reply) =>
      respondToUpload(request, reply, options, (upload, fields, context) => {
        const { name, folder_id: folderId } = fields as Static<typeof CourseUpload>;
        return options.courses.import(upload, { name: name ?? null, folderId: folderId ?? null }, context);
      }),
  );
}

function uploadVersionRoute(routes: Routes, options: CourseUploadOptions): void {
  routes.post(
    '/courses/:course_id/versions',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'uploadCourseVersion',
        summary: 'Upload a version of a course',
        description:
          'Adds the next version without publishing it. Triggers COURSE_VERSION_UPLOADED. Returns the course.',
        consumes,
        params: CourseParams,
        body: VersionUpload,
        response: { 201: CourseRecord, ...problems({ 400: UNUSABLE }, 404, 412, 413, 415, 422, 503) },
      },
    },
    async (request, reply) => {
      const id = parseId(request.params.course_id, 'course');
      const expected = expectedRevisions(request);
      // Checked before the body is read, so that a wrong id does not cost an upload. A repeated request gets
      // its response even if the course no longer exists.
      if (request.headers['idempotency-key'] === undefined) await options.courses.get(id);
      return await respondToUpload(request, reply, options, (upload, _fields, context) =>
        options.courses.uploadVersion(id, upload, { ...context, expected }),
      );
    },
  );
}

/** Receives the form and passes it to `use`. Afterwards, its files are removed from the disk. */
async function respondToUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  { courses, uploads, idempotency, maxPackageBytes }: CourseUploadOptions,
  use: UseUpload,
): Promise<CourseRecord> {
  using connection = new UploadConnection(request, reply);
  const { signal } = connection;
  await using upload = await uploads.open(callerOf(request).id);
  const { fields, packageHash } = await receivePackage(request, upload, {
    maxPackageBytes,
    signal,
    findMissing: (members) => courses.inputErrors(members),
  });
  // An upload may take hours, in which someone may have ended the access of its caller.
  await request.authorizeAgain?.();
  connection.awaitResponse();
  const content = JSON.stringify([packageHash, fields.name ?? null, fields.folder_id ?? null]);
  const earlier = await earlierResponse(idempotency, request, reply, content);
  if (earlier !== null) return earlier;
  return await use(upload, fields, {
    user: callerOf(request).user,
    by: actorOf(request),
    signal,
    commit: async (record) => {
      // Storing the files may take hours, too.
      await request.authorizeAgain?.();
      return await idempotency.respond(
        request,
        reply,
        async (tx) => {
          const course = await record(tx);
          const headers = { Location: `/courses/${course.id}`, ETag: entityTag(course.revision) };
          return { status: 201, headers, body: toCourseRecord(course) };
        },
        content,
      );
    },
  });
}

/** Thrown if a request turns out to be new. */
class IsNewRequest extends Error {
  override name = 'IsNewRequest';
}

/**
 * The first response for a repeated request, or null for a new one. Checked before the package is unpacked,
 * without claiming the key. The transaction that records the course claims it.
 */
async function earlierResponse(
  idempotency: Idempotency,
  request: FastifyRequest,
  reply: FastifyReply,
  content: string,
): Promise<CourseRecord | null> {
  try {
    return await idempotency.respond<CourseRecord>(
      request,
      reply,
      () => Promise.reject(new IsNewRequest()),
      content,
    );
  } catch (error) {
    if (error instanceof IsNewRequest) return null;
    throw error;
  }
}
