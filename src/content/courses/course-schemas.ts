import { type Static, Type } from 'typebox';
import { LEARNING_STANDARDS } from '../../course-packages/learning-standard.ts';
import { DateTime, Id, Name } from '../../http/schemas.ts';

/** The body of update. */
export const CourseInput = Type.Object(
  {
    name: Name('The course’s name.'),
    folder_id: Id('The folder that it is in.'),
    id: Type.Optional(Type.Unknown()),
    version_id: Type.Optional(Type.Unknown()),
    published_version_id: Type.Optional(Type.Unknown()),
    learning_standard: Type.Optional(Type.Unknown()),
    location: Type.Optional(Type.Unknown()),
    warnings: Type.Optional(Type.Unknown()),
    versions: Type.Optional(Type.Unknown()),
    created_dt: Type.Optional(Type.Unknown()),
    updated_dt: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false, description: 'A course, as it is to be.' },
);

const PackageFile = Type.Unsafe<string>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/zip',
  description: 'The package: a zip file of a SCORM, AICC, cmi5 or xAPI course.',
});

/** The parts of an import; in any order. */
export const CourseUpload = Type.Object(
  {
    file: PackageFile,
    name: Type.Optional(Name('The course’s name; the package’s title when left out.')),
    folder_id: Type.Optional(Id('The folder that it goes into; the root, Home, when left out.')),
  },
  { additionalProperties: false, description: 'A course package.' },
);

/** The part of a version upload. */
export const VersionUpload = Type.Object(
  { file: PackageFile },
  { additionalProperties: false, description: 'The next version’s package.' },
);

const VersionId = (description: string) => Type.Integer({ minimum: 0, description });
const LearningStandard = Type.Unsafe<string>({ type: 'string', enum: [...LEARNING_STANDARDS] });
const Warnings = Type.Array(Type.String(), {
  description: 'What is odd about the package but does not keep it from being launched, in words.',
});

const courseMembers = {
  id: Id('The course’s id.'),
  name: Type.String(),
  version_id: VersionId('The version uploaded last: 0 at import, then counting up.'),
  published_version_id: VersionId('The version that learners get.'),
  learning_standard: LearningStandard,
  location: Type.String({
    description: 'The names of the folders from Home down to the course’s own, joined with “ > ”.',
    examples: ['Home > Safety'],
  }),
  folder_id: Id('The folder that it is in.'),
  warnings: Warnings,
  created_dt: DateTime('When it was imported.'),
  updated_dt: DateTime('When it was changed last.'),
};

const ABOUT_LATEST = '`learning_standard` and `warnings` are those of the version uploaded last.';

/** A course as lists and changes give it. */
export const CourseRecord = Type.Object(courseMembers, { description: `A course. ${ABOUT_LATEST}` });

/** A course as reading gives it. */
export const CourseWithVersionsRecord = Type.Object(
  {
    ...courseMembers,
    versions: Type.Array(
      Type.Object({
        version_id: VersionId('0 at import, then counting up.'),
        learning_standard: LearningStandard,
        title: Type.String({ description: 'The package’s own title.' }),
        published: Type.Boolean({ description: 'Whether it is the version that learners get.' }),
        warnings: Warnings,
        file_count: Type.Integer({ description: 'Files in the package.' }),
        byte_count: Type.Integer({ description: 'What they take unpacked.' }),
        created_dt: DateTime('When it was uploaded.'),
      }),
      { description: 'Oldest first; of more than 1,000 the newest 1,000.' },
    ),
  },
  { description: `A course with its versions. ${ABOUT_LATEST}` },
);

export type CourseRecord = Static<typeof CourseRecord>;
export type CourseWithVersionsRecord = Static<typeof CourseWithVersionsRecord>;
