import { type Static, Type } from 'typebox';
import {
  LEARNING_STANDARDS,
  type LearningStandard as Standard,
} from '../../course-packages/learning-standard.ts';
import { DateTime, HAS_ETAG, Id, Ignored, Name } from '../../http/schemas.ts';

const PackageFile = Type.Unsafe<string>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/zip',
  description: 'The package: a zip file of a SCORM, AICC, cmi5 or xAPI course, or a cmi5.xml alone.',
});

/** The parts of an import; in any order. */
export const CourseUpload = Type.Object(
  {
    file: PackageFile,
    name: Type.Optional(Name('The name of the course. Defaults to the title of the package.')),
    folder_id: Type.Optional(Id('The folder to import it into. Defaults to the root folder, Home.')),
  },
  { additionalProperties: false, title: 'CourseUpload', description: 'A course package.' },
);

/** The part of a version upload. */
export const VersionUpload = Type.Object(
  { file: PackageFile },
  {
    additionalProperties: false,
    title: 'CourseVersionUpload',
    description: 'The package of the next version.',
  },
);

/** The number of a version. */
export const VersionId = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const LearningStandard = Type.Unsafe<Standard>({
  type: 'string',
  enum: [...LEARNING_STANDARDS],
  title: 'LearningStandard',
});
const Warnings = Type.Array(Type.String(), {
  description: 'Warnings about the package that do not prevent launching it.',
});

const courseMembers = {
  id: Id('The id of the course.'),
  name: Type.String(),
  version_id: VersionId('The latest uploaded version: 0 after the import, then counting up.'),
  published_version_id: VersionId('The version that new registrations get.'),
  learning_standard: LearningStandard,
  location: Type.String({
    description: 'The folder path from Home, joined with “ > ”.',
    examples: ['Home > Safety'],
  }),
  folder_id: Id('The folder that contains it.'),
  warnings: Warnings,
  created_dt: DateTime('When it was imported.'),
  updated_dt: DateTime('When it was last changed.'),
};

const ABOUT_LATEST = '`learning_standard` and `warnings` describe the latest uploaded version.';

/** A course as lists and changes return it. */
export const CourseRecord = Type.Object(courseMembers, {
  title: 'Course',
  ...HAS_ETAG,
  description: `A course. ${ABOUT_LATEST}`,
});

/** A course as the API returns it. */
export const CourseWithVersionsRecord = Type.Object(
  {
    ...courseMembers,
    versions: Type.Array(
      Type.Object(
        {
          version_id: VersionId('0 after the import, then counting up.'),
          learning_standard: LearningStandard,
          title: Type.String({ description: 'The title in the package.' }),
          published: Type.Boolean({ description: 'Whether this is the version that new registrations get.' }),
          warnings: Warnings,
          file_count: Type.Integer({ description: 'Number of files in the package.' }),
          byte_count: Type.Integer({ description: 'Their total size in bytes, unpacked.' }),
          created_dt: DateTime('When it was uploaded.'),
        },
        { title: 'CourseVersion', description: 'A version of a course.' },
      ),
      { description: 'The latest 1,000 versions, oldest first.' },
    ),
  },
  { title: 'CourseDetails', ...HAS_ETAG, description: `A course with its versions. ${ABOUT_LATEST}` },
);

/** The body of update. */
export const CourseInput = Type.Object(
  {
    name: Name('The name of the course.'),
    folder_id: Id('The folder that contains it.'),
    id: Ignored(CourseWithVersionsRecord.properties.id),
    version_id: Ignored(CourseWithVersionsRecord.properties.version_id),
    published_version_id: Ignored(CourseWithVersionsRecord.properties.published_version_id),
    learning_standard: Ignored(CourseWithVersionsRecord.properties.learning_standard),
    location: Ignored(CourseWithVersionsRecord.properties.location),
    warnings: Ignored(CourseWithVersionsRecord.properties.warnings),
    versions: Ignored(CourseWithVersionsRecord.properties.versions),
    created_dt: Ignored(CourseWithVersionsRecord.properties.created_dt),
    updated_dt: Ignored(CourseWithVersionsRecord.properties.updated_dt),
  },
  { additionalProperties: false, title: 'CourseInput', description: 'Course to update.' },
);

export type CourseRecord = Static<typeof CourseRecord>;
export type CourseWithVersionsRecord = Static<typeof CourseWithVersionsRecord>;
/** A version of a course, as the API returns it. */
export type CourseVersionRecord = CourseWithVersionsRecord['versions'][number];
