import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs, PageOf, PathId } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import { toCourseRecord, toCourseWithVersionsRecord } from './course-records.ts';
import { CourseInput, CourseRecord, CourseWithVersionsRecord, VersionId } from './course-schemas.ts';
import type { CourseService } from './course-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Courses'];

/** The path member that names a course. */
export const CourseParams = Type.Object({ course_id: PathId('The id of the course.') });
const VersionParams = Type.Object({
  ...CourseParams.properties,
  version_id: describedAs(
    Type.String({ description: 'The id of the version: 0 for the imported version, then counting up.' }),
    VersionId(),
  ),
});

/** Courses in the automation API, except uploads of packages. */
export function courseRoutes(routes: Routes, courses: CourseService, idempotency: Idempotency): void {
  listCoursesRoute(routes, courses);
  getCourseRoute(routes, courses);
  updateCourseRoute(routes, courses);
  deleteCourseRoute(routes, courses);
  publishCourseVersionRoute(routes, courses, idempotency);
}

function listCoursesRoute(routes: Routes, courses: CourseService): void {
  routes.get(
    '/courses',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listCourses',
        summary: 'List courses',
        querystring: PageQuery,
        response: { 200: PageOf(CourseRecord, 'Courses, ordered by id.'), ...problems(400) },
      },
    },
    async (request) => pageResponse(await courses.list(pageRequest(request.query)), toCourseRecord),
  );
}

function getCourseRoute(routes: Routes, courses: CourseService): void {
  routes.get(
    '/courses/:course_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getCourse',
        summary: 'Read a course with its versions',
        params: CourseParams,
        response: { 200: CourseWithVersionsRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const course = await courses.getWithVersions(idOf(request.params));
      return reply.header('ETag', entityTag(course.revision)).send(toCourseWithVersionsRecord(course));
    },
  );
}

function updateCourseRoute(routes: Routes, courses: CourseService): void {
  routes.put(
    '/courses/:course_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateCourse',
        summary: 'Rename or move a course',
        params: CourseParams,
        body: CourseInput,
        response: { 200: CourseRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      await assertValidOrLookUp(request, () => courses.inputErrors(request.body));
      const { name, folder_id: folderId } = request.body;
      const course = await courses.update(
        idOf(request.params),
        { name, folderId },
        { by: actorOf(request), expected: expectedRevisions(request) },
      );
      return reply.header('ETag', entityTag(course.revision)).send(toCourseRecord(course));
    },
  );
}

function deleteCourseRoute(routes: Routes, courses: CourseService): void {
  routes.delete(
    '/courses/:course_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteCourse',
        summary: 'Delete a course',
        description:
          'Deletes all its versions and their files. A course that an account, an equivalent, a bundle or a registration ' +
          'uses cannot be deleted (409).',
        params: CourseParams,
        response: {
          204: Type.Null({ description: 'The course is deleted.' }),
          ...problems(404, { 409: 'The course is in use.' }, 412),
        },
      },
    },
    async (request, reply) => {
      await courses.delete(idOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function publishCourseVersionRoute(routes: Routes, courses: CourseService, idempotency: Idempotency): void {
  routes.post(
    '/courses/:course_id/versions/:version_id/publish',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'publishCourseVersion',
        summary: 'Publish a version of a course',
        description: 'Triggers COURSE_VERSION_PUBLISHED, unless the version is already published.',
        params: VersionParams,
        response: { 200: CourseRecord, ...problems(404, 412, 422) },
      },
    },
    async (request, reply) => {
      const { version_id: version } = request.params;
      const id = idOf(request.params);
      const versionId = version === '0' ? 0 : parseId(version, 'version');
      const { user } = callerOf(request);
      const by = actorOf(request);
      const expected = expectedRevisions(request);
      return await idempotency.respond(request, reply, async (tx) => {
        const course = await courses.publishVersion(id, versionId, { user, by, expected, tx });
        return { status: 200, headers: { ETag: entityTag(course.revision) }, body: toCourseRecord(course) };
      });
    },
  );
}

function idOf(params: { course_id: string }): number {
  return parseId(params.course_id, 'course');
}
