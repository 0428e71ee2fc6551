import { Type } from 'typebox';
import { LEARNING_STANDARDS } from '../../course-packages/learning-standard.ts';
import type { Reader } from '../../database/database.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Id, Nullable } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { ListOf, ListQuery, listAnswer, listPart, SearchText, searchText } from '../list-query.ts';
import {
  CONTENT_SORTS,
  type ContentFilter,
  type ListedCourse,
  listBundles,
  listCourses,
  listEquivalents,
} from './content-list.ts';

const READ = { scope: 'content:read' };
const LearningStandard = Type.Unsafe<string>({ type: 'string', enum: [...LEARNING_STANDARDS] });

const members = {
  id: Id('Its id.'),
  name: Type.String(),
  folder_id: Id('The folder that contains it.'),
  location: Type.String(),
  created_dt: DateTime('When it was created.'),
  updated_dt: DateTime('When it was last changed.'),
};
const CourseOverview = Type.Object({
  ...members,
  version_id: Type.Integer(),
  published_version_id: Type.Integer(),
  learning_standard: Nullable(LearningStandard),
  warning_count: Type.Integer(),
});
const EquivalentOverview = Type.Object({ ...members, languages: Type.Array(Type.String()) });
const BundleOverview = Type.Object({ ...members, content_count: Type.Integer() });

const filters = {
  search: SearchText,
  folder_id: Type.Optional(Id('Only what stands in this folder.')),
  recursive: Type.Optional(Type.Boolean({ description: 'Or in one below it.' })),
};
const CoursesQuery = ListQuery(CONTENT_SORTS, {
  ...filters,
  learning_standard: Type.Optional(LearningStandard),
});
const ContentQuery = ListQuery(CONTENT_SORTS, filters);

/** The lists of courses, equivalents and bundles, for the admin UI. */
export function contentListRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/courses',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: CoursesQuery,
        response: { 200: ListOf(CourseOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const learningStandard = request.query.learning_standard ?? null;
      const listed = await listCourses(reader, { ...filterOf(request.query), learningStandard }, part);
      return listAnswer(listed, part, toCourse);
    },
  );

  routes.get(
    '/ui/api/equivalents',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: ContentQuery,
        response: { 200: ListOf(EquivalentOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const listed = await listEquivalents(reader, filterOf(request.query), part);
      return listAnswer(listed, part, (item) => ({ ...toContent(item), languages: item.languages }));
    },
  );

  routes.get(
    '/ui/api/bundles',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: ContentQuery,
        response: { 200: ListOf(BundleOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const listed = await listBundles(reader, filterOf(request.query), part);
      return listAnswer(listed, part, (item) => ({ ...toContent(item), content_count: item.content_count }));
    },
  );
}

function filterOf(query: { search?: string; folder_id?: number; recursive?: boolean }): ContentFilter {
  return {
    search: searchText(query.search),
    folderId: query.folder_id ?? null,
    recursive: query.recursive ?? false,
  };
}

function toContent(item: {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  created_at: number;
  updated_at: number;
}) {
  return {
    id: item.id,
    name: item.name,
    folder_id: item.folder_id,
    location: item.location,
    created_dt: formatDateTime(item.created_at),
    updated_dt: formatDateTime(item.updated_at),
  };
}

function toCourse(course: ListedCourse) {
  return {
    ...toContent(course),
    version_id: course.latest_version_id,
    published_version_id: course.published_version_id,
    learning_standard: course.learning_standard,
    warning_count: (JSON.parse(course.warnings ?? '[]') as string[]).length,
  };
}
