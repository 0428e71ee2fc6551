import assert from 'node:assert/strict';
import { AiccUnit } from '../player/aicc-helpers.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { Player, xapiCourse } from '../player/learner-helpers.ts';
import type { LrsClient, LrsReply } from '../player/lrs-helpers.ts';
import { COURSE, VERB, FILES as XAPI_FILES } from '../player/xapi-course-files.ts';
import { aiccFiles, cmi5Files, type PackageFiles } from '../support/course-packages.ts';
import { followLink, type PlayerClient } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';

/** A course that a learner has opened. Its calls fail with a `TypeError` if the service is killed. */
export interface OpenCourse {
  /** The latest save that the course finds; 0 if there is none. Saves count up. */
  readonly found: number;
  /** Saves the learner's progress. Resolves once that is confirmed. */
  save(number: number): Promise<void>;
  /** Passes with a score of 90. It may have been done before, without a confirmation. */
  pass(number: number): Promise<void>;
}

/** A kind of course: its package, and how a learner works in it. */
export interface CourseKind {
  files: PackageFiles;
  /**
   * Opens the course by a launch link.
   * @throws {AssertionError} if saves before the latest are missing or changed
   */
  open(link: string): Promise<OpenCourse>;
}

/** Data that differs between saves. */
export const kept = (number: number): string => 'kept '.repeat(number % 100);

type Cmi = Record<string, unknown>;

/** A SCORM course, which saves by commits of its data model. */
function scormKind<Model>({
  files,
  read,
  progress,
  passed,
}: {
  files: PackageFiles;
  /** The bookmark and the further data in a data model. */
  read: (cmi: Model) => readonly [location: string, suspended: string];
  progress: (location: string) => Cmi;
  passed: (location: string) => Cmi;
}): CourseKind {
  const unit = 'i1';
  const commit = async (course: PlayerClient, cmi: Cmi, number: number) => {
    const { status, body } = await course.commit(unit, { ...cmi, suspend_data: kept(number) });
    assert.deepEqual([status, body], [200, { outcome: 'recorded' }]);
  };
  return {
    files,
    async open(link) {
      const course = await followLink(link);
      await course.open();
      const [location, suspended] = read((await course.openUnit(unit)).data.cmi);
      const found = Number(location);
      assert.equal(suspended, kept(found));
      return {
        found,
        save: (number) => commit(course, progress(String(number)), number),
        pass: (number) => commit(course, passed(String(number)), number),
      };
    },
  };
}

const SCORM_12 = scormKind<{ core: { lesson_location: string }; suspend_data: string }>({
  files: scorm12Course(),
  read: ({ core, suspend_data }) => [core.lesson_location, suspend_data],
  progress: (lesson_location) => ({
    core: { lesson_status: 'incomplete', lesson_location, score: { raw: '90' } },
  }),
  passed: (lesson_location) => ({ core: { lesson_status: 'passed', lesson_location, score: { raw: '90' } } }),
});

const SCORM_2004 = scormKind<{ location: string; suspend_data: string }>({
  files: scorm2004Course(),
  read: ({ location, suspend_data }) => [location, suspend_data],
  progress: (location) => ({ completion_status: 'incomplete', location }),
  passed: (location) => ({
    completion_status: 'completed',
    success_status: 'passed',
    score: { scaled: '0.9' },
    location,
  }),
});

const AICC: CourseKind = {
  files: aiccFiles(),
  async open(link) {
    const unit = new AiccUnit(await (await Player.follow(link)).openUnit('A1'));
    const { values, suspended } = await unit.parameters();
    const found = Number(values.Lesson_Location);
    assert.equal(suspended, kept(found));
    const put = async (status: string, number: number) => {
      const core = `[Core]\r\nLesson_Location=${number}\r\nLesson_Status=${status}\r\nScore=90\r\n`;
      const answer = await unit.send('PutParam', `${core}[Core_Lesson]\r\n${kept(number)}\r\n`);
      assert.match(answer, /^error=0\r\n/);
    };
    return {
      found,
      save: (number) => put('incomplete', number),
      pass: (number) => put('passed', number),
    };
  },
};

/** The statements that a query finds, from all pages of the answer. */
async function statementsOf(lrs: LrsClient, query: Record<string, string>): Promise<LrsReply['json'][]> {
  const { json } = await lrs.call('GET', 'statements', { query });
  const found = [...json.statements];
  for (let { more } = json; more; ) {
    const response = await fetch(new URL(more, lrs.endpoint), {
      headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' },
    });
    const page = (await response.json()) as { statements: LrsReply['json'][]; more?: string };
    found.push(...page.statements);
    more = page.more;
  }
  return found;
}

/** Each save is a statement about another page, so all of them must be found. */
const CMI5: CourseKind = {
  files: cmi5Files(),
  async open(link) {
    const unit = await Unit.start(await (await Player.follow(link)).openUnit(`${CMI5_COURSE}/au`));
    const { lrs, registration } = unit;
    const verb = VERB('experienced');
    const pages = (await statementsOf(lrs, { registration, verb: verb.id })).map(({ object }) =>
      Number(object.id.split('/').at(-1)),
    );
    pages.sort((a, b) => a - b);
    assert.deepEqual(
      pages,
      pages.map((_, at) => at + 1),
      'every confirmed statement is there, once',
    );
    const send = async (...statements: object[]) => void (await lrs.store(...statements));
    await send(unit.initialized());
    return {
      found: pages.length,
      async save(number) {
        const statement = unit.statement('experienced');
        const { contextActivities, ...rest } = statement.context as { contextActivities: Cmi };
        // Statements that cmi5 does not define have none of its categories.
        const { category: _, ...activities } = contextActivities;
        const object = { id: `${CMI5_COURSE}/pages/${number}` };
        await send({ ...statement, object, context: { ...rest, contextActivities: activities } });
      },
      async pass() {
        // Each may be sent once.
        const sent = (await statementsOf(lrs, { registration })).map((each) =>
          each.verb.id.split('/').at(-1),
        );
        if (!sent.includes('completed')) await send(unit.completed());
        if (!sent.includes('passed')) await send(unit.passed(0.9));
        await send(unit.terminated());
      },
    };
  },
};
const CMI5_COURSE = 'https://courses.example/cmi5';

/** Saves are documents, and the result is a statement. */
const XAPI: CourseKind = {
  files: XAPI_FILES,
  async open(link) {
    const { lrs, actor, registration, activity } = xapiCourse(
      await (await Player.follow(link)).openUnit(COURSE),
    );
    const query = {
      activityId: activity.id,
      agent: JSON.stringify(actor),
      registration,
      stateId: 'bookmark',
    };
    const { status, json } = await lrs.call('GET', 'activities/state', { query });
    assert.ok(status === 200 || status === 404, `${status}`);
    const found = status === 404 ? 0 : json.bookmark;
    if (status === 200) assert.equal(json.suspended, kept(found));
    const save = async (number: number) => {
      const body = { bookmark: number, suspended: kept(number) };
      const saved = await lrs.call('PUT', 'activities/state', { query, body });
      assert.equal(saved.status, 204, saved.text);
    };
    return {
      found,
      save,
      async pass(number) {
        await save(number);
        await lrs.store({
          actor,
          object: activity,
          verb: VERB('passed'),
          context: { registration },
          result: { success: true, score: { scaled: 0.9 } },
        });
      },
    };
  },
};

/** The kinds of courses, by the name of their standard. */
export const COURSE_KINDS = {
  'SCORM 1.2': SCORM_12,
  'SCORM 2004': SCORM_2004,
  AICC,
  cmi5: CMI5,
  xAPI: XAPI,
} as const satisfies Record<string, CourseKind>;
