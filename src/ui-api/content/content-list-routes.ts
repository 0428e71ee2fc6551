import { Type } from 'typebox';
import { LEARNING_STANDARDS, type LearningStandard } from '../../course-packages/learning-standard.ts';
import type { Reader } from '../../database/database.ts';
import type { Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { ListQuery, listPart, listResponse, SearchText, searchText } from '../list-query.ts';
import {
  type ContentFilter,
  type ListedBundle,
  type ListedCourse,
  type ListedEquivalent,
  listBundles,
  listCourses,
  listEquivalents,
} from './content-list.ts';
import { CONTENT_SORTS } from './content-list-choices.ts';

/** A search may examine every row. */
const READ = { scope: 'content:read', hasLargeResponse: true };
const Standard = Type.Unsafe<string>({ type: 'string', enum: [...LEARNING_STANDARDS] });

/** Content in a list. */
export type CourseOverview = ReturnType<typeof toCourse>;
export type EquivalentOverview = ReturnType<typeof toEquivalent>;
export type BundleOverview = ReturnType<typeof toBundle>;

const filters = {
  search: SearchText,
  folder_id: Type.Optional(Id()),
  /** Whether subfolders of `folder_id` are included. */
  recursive: Type.Optional(Type.Boolean()),
};
const CoursesQuery = ListQuery(CONTENT_SORTS, {
  ...filters,
  learning_standard: Type.Optional(Standard),
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
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const learningStandard = request.query.learning_standard ?? null;
      const listed = await listCourses(reader, { ...filterOf(request.query), learningStandard }, part);
      return listResponse(listed, part, toCourse);
    },
  );

  routes.get(
    '/ui/api/equivalents',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: ContentQuery,
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const listed = await listEquivalents(reader, filterOf(request.query), part);
      return listResponse(listed, part, toEquivalent);
    },
  );

  routes.get(
    '/ui/api/bundles',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: ContentQuery,
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const listed = await listBundles(reader, filterOf(request.query), part);
      return listResponse(listed, part, toBundle);
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

function toEquivalent(equivalent: ListedEquivalent) {
  return { ...toContent(equivalent), languages: equivalent.languages };
}

function toBundle(bundle: ListedBundle) {
  return { ...toContent(bundle), content_count: bundle.content_count };
}

function toCourse(course: ListedCourse) {
  return {
    ...toContent(course),
    /** The version uploaded last, to which `learning_standard` and `warning_count` belong. */
    version_id: course.latest_version_id,
    published_version_id: course.published_version_id,
    learning_standard: course.learning_standard as LearningStandard | null,
    warning_count: (JSON.parse(course.warnings ?? '[]') as string[]).length,
  };
}
