import { type TSchema, Type } from 'typebox';
import { ASSET_TYPES, SUBTOPICS, type Subtopic, type Topic, topicOf } from '../../events/catalogue.ts';
import { DateTime, describedAs, Nullable } from '../../http/schemas.ts';
import { MAX_ATTEMPTS, MIN_ATTEMPTS } from '../configuration/webhook.ts';

/** The messages as the API description shows them. The service builds them in `message.ts`. */

const account = Type.Object(
  { id: Type.Integer(), name: Type.String(), enabled: Type.Boolean() },
  { title: 'MessageAccount', description: 'The account of an event.' },
);
const course = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    version_id: Type.Integer({ description: '0 after the import, then counting up.' }),
    learning_standard: Type.String({
      description: 'As `learning_standard` of a course, such as SCORM_12 or CMI5.',
    }),
    location: Type.String({ description: "The path of folders from Home, joined with ' > '." }),
  },
  { title: 'MessageCourse', description: 'The course of an event.' },
);
const folder = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    location: Type.String({
      description: 'The path above the folder, without its name. Empty for Home.',
    }),
    contents: Type.Array(
      Type.Object(
        {
          type: Type.Enum([...ASSET_TYPES], { title: 'AssetType' }),
          id: Type.Integer(),
          name: Type.String(),
        },
        { title: 'MessageContentItem', description: 'An asset that was added or removed.' },
      ),
      { description: 'Exactly the assets that were added or removed.' },
    ),
  },
  { title: 'MessageFolder', description: 'The folder of the content of an event.' },
);
const bundle = Type.Object(
  { id: Type.Integer(), name: Type.String(), location: Type.String() },
  { title: 'MessageBundle', description: 'The bundle of an event.' },
);
const registrationMembers = {
  account_id: Type.Integer(),
  registration_id: Type.String(),
  course_id: Type.Integer(),
  learner_id: Type.String(),
};
const registration = Type.Object(registrationMembers, {
  title: 'MessageRegistration',
  description: 'The registration of a launch.',
});
const statusMembers = {
  completion: Type.Enum(['Completed', 'Incomplete', 'Unknown'], { title: 'Completion' }),
  success: Type.Enum(['PASS', 'FAIL', 'UNKNOWN'], { title: 'Success' }),
  score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
  duration: Type.Integer({ description: 'In whole seconds.' }),
  completion_dt: Nullable(DateTime('When it was first completed.')),
};
const registrationStatus = Type.Object(
  { ...registrationMembers, ...statusMembers },
  { title: 'MessageRegistrationStatus', description: 'A registration with its status.' },
);
const courseContent = Type.Object(
  { course },
  { title: 'MessageCourseContent', description: 'The content of an event about a course.' },
);

const RESOURCES: Readonly<Record<Topic, TSchema>> = {
  ACCOUNT: Type.Object({ account }, { title: 'AccountResource', description: 'The subject of an event.' }),
  ACCOUNT_CONTENT: Type.Object(
    {
      account,
      content: Type.Object(
        { course: Type.Optional(course), folder, bundle: Type.Optional(bundle) },
        {
          title: 'MessageAccountContent',
          description:
            '`course` or `bundle` is present only if `folder.contents` has a single item, which is a course or a bundle.',
        },
      ),
    },
    { title: 'AccountContentResource', description: 'The subject of an event.' },
  ),
  COURSE: Type.Object(
    { content: courseContent },
    { title: 'CourseResource', description: 'The subject of an event.' },
  ),
  REGISTRATION: Type.Object(
    { account, content: courseContent, registration },
    { title: 'RegistrationResource', description: 'The subject of an event.' },
  ),
};
const STATUS_RESOURCE = Type.Object(
  { account, content: courseContent, registration: registrationStatus },
  { title: 'RegistrationStatusResource', description: 'The subject of an event.' },
);

/** The name of a message in the API description: `AccountCreated` for ACCOUNT_CREATED. */
export function messageName(subtopic: Subtopic): string {
  return subtopic
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('');
}

/** The message of a subtopic. */
export function messageSchema(subtopic: Subtopic): TSchema {
  return Type.Object(
    {
      subscription_id: Type.Integer({ description: 'The id of the webhook.' }),
      name: Type.String({ description: 'The name of the webhook.' }),
      topic: Type.Literal(topicOf(subtopic)),
      subtopic: Type.Literal(subtopic),
      resource: subtopic === 'REGISTRATION_STATUS_UPDATED' ? STATUS_RESOURCE : RESOURCES[topicOf(subtopic)],
      user: Type.String({
        description:
          'Who triggered it: the e-mail address of an administrator or API client. For launches and for results that a course reports, the id of the learner.',
      }),
      timestamp: DateTime('When the event occurred.'),
      target_url: Type.String(),
      logging_mode: Type.Enum(['NONE', 'SUMMARY', 'FULL', 'FULL_ON_ERROR'], { title: 'MessageLoggingMode' }),
      max_attempts: Type.Integer({ minimum: MIN_ATTEMPTS, maximum: MAX_ATTEMPTS }),
    },
    { title: messageName(subtopic), description: `The message of ${subtopic}.` },
  );
}

/** Every message: `subtopic` says which. */
const Message = {
  title: 'Message',
  description: 'The body of a postback. `subtopic` identifies the kind of message.',
  oneOf: SUBTOPICS.map(messageSchema),
  discriminator: {
    propertyName: 'subtopic',
    mapping: Object.fromEntries(
      SUBTOPICS.map((subtopic) => [subtopic, `#/components/schemas/${messageName(subtopic)}`]),
    ),
  },
};

/**
 * `resource` of a message of any subtopic. It is one object, not a union: it does not contain its subtopic, so clients
 * would read it as the first matching alternative, and lose the other members.
 */
const Resource = Type.Object(
  {
    account: Type.Optional(account),
    content: Type.Optional(
      Type.Object(
        { course: Type.Optional(course), folder: Type.Optional(folder), bundle: Type.Optional(bundle) },
        {
          title: 'ResourceContent',
          description:
            '`folder` is present for CONTENT_ADDED_TO_ACCOUNT and CONTENT_REMOVED_FROM_ACCOUNT, with `course` or `bundle` if ' +
            '`folder.contents` has a single item, which is a course or a bundle. Other events with content have only `course`.',
        },
      ),
    ),
    registration: Type.Optional(
      Type.Object(
        { ...registrationMembers, ...Type.Partial(Type.Object(statusMembers)).properties },
        {
          title: 'ResourceRegistration',
          description: 'Its status is present only for REGISTRATION_STATUS_UPDATED.',
        },
      ),
    ),
  },
  { title: 'Resource', description: 'The subject of an event. `subtopic` determines its members.' },
);

/** `resource` of a message, as the API returns it. */
export function ResourceMember(description: string) {
  return describedAs(Type.Unknown({ description }), Resource);
}

/** A message that the API returns. It is written as it is stored. */
export function MessageMember(description: string) {
  return describedAs(Type.Unknown({ description }), Message);
}
