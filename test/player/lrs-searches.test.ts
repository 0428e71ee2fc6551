import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { MAX_EXAMINED } from '../../src/player/lrs/statements/statement-reader.ts';
import { aroundTests } from '../support/around-tests.ts';
import { xapiFiles } from '../support/course-packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { launchUnit, xapiCourse } from './learner-helpers.ts';
import { activity, type LrsClient, lrsClient, PASSED, statement } from './lrs-helpers.ts';

/** More than a page examines. */
const MANY = MAX_EXAMINED + 1_000;

/** Stores copies of a statement after it, with the same time and the same terms. */
async function copyStatement(
  database: Database,
  id: string,
  { isVoided = false, count = MANY } = {},
): Promise<void> {
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  await database.transaction(
    async (tx) => {
      await tx.run(
        `${numbers} insert into lrs_statements
           (statement_id, registration_id, target_id, is_voiding, is_voided, stored_at, statement)
         select s.statement_id || '-' || n, s.registration_id, s.target_id, s.is_voiding, ${isVoided ? 1 : 0},
           s.stored_at, replace(s.statement, s.statement_id, s.statement_id || '-' || n)
         from lrs_statements s cross join numbers where s.statement_id = ? order by n`,
        id,
      );
      await tx.run(
        `insert into lrs_statement_index (kind, term, stored_at, statement)
         select i.kind, i.term, c.stored_at, c.id from lrs_statements c
           join lrs_statements s on s.statement_id = ? and c.statement_id like s.statement_id || '-%'
           join lrs_statement_index i on i.statement = s.id`,
        id,
      );
    },
    { isLong: true },
  );
}

describe('a search of many statements', () => {
  let service: TestService;
  let database: Database;
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    database = parts.use(await openDatabaseOf(service.settings.data_dir));
    lrs = await lrsClient(service);
  });

  /** The ids on each page, from the first to the last. */
  const pagesOf = async (query: Record<string, string>): Promise<string[][]> => {
    const pages: string[][] = [];
    let next = `/xapi/statements?${new URLSearchParams(query)}`;
    while (next !== '') {
      const response = await fetch(service.url + next, {
        headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' },
      });
      assert.equal(response.status, 200);
      const page = (await response.json()) as { statements: { id: string }[]; more: string };
      pages.push(page.statements.map(({ id }) => id));
      next = page.more;
    }
    return pages;
  };
  const storeMany = async (members: object, count = MANY) => {
    const [id] = await lrs.store(statement(members));
    await copyStatement(database, id!, { count });
  };

  test('examines a part of those that only one filter matches, and continues where it stopped', async () => {
    const object = activity('of-many');
    const both = statement({ object, verb: PASSED });
    const [early] = await lrs.store(both);
    await storeMany({ object });
    // A page that examined them would find none.
    await storeMany({ object: activity('of-others'), verb: PASSED }, 2 * MANY);
    const [late] = await lrs.store(both);
    const query = { activity: object.id, verb: PASSED.id };
    assert.deepEqual(await pagesOf(query), [[late], [early]]);
    assert.deepEqual(await pagesOf({ ...query, ascending: 'true' }), [[early], [late]]);
  });

  test('finds everything at once if one of its filters matches few', async () => {
    const object = activity('of-many-others');
    const rare = { id: 'https://example.com/verbs/rare' };
    const [id] = await lrs.store(statement({ object, verb: rare }));
    await storeMany({ object });
    assert.deepEqual(await pagesOf({ activity: object.id, verb: rare.id }), [[id]]);
  });

  test('stays within the registration of a course, whichever filter matches few', async () => {
    const identifier = 'https://courses.example/of-many';
    const rare = { id: 'https://example.com/verbs/rare-in-course' };
    const open = async (learner: string) => {
      const { registrationId } = await registerTo(service, xapiFiles({ identifier }), learner);
      return xapiCourse(await launchUnit(service, registrationId, identifier));
    };
    const [ann, bob] = [await open('ann'), await open('bob')];
    const send = async ({ lrs: own, actor, activity: object }: typeof ann, verb: object) =>
      (await own.store({ actor, object, verb }))[0]!;
    const ofAnn = await send(ann, rare);
    await copyStatement(database, await send(ann, PASSED));
    await send(bob, rare);
    assert.deepEqual(await ann.lrs.find({ verb: rare.id }), [ofAnn]);
    assert.equal((await lrs.find({ verb: rare.id })).length, 2);
  });

  test('examines a part of those that are voided', async () => {
    const object = activity('of-many-voided');
    const [id] = await lrs.store(statement({ object }));
    await copyStatement(database, id!, { isVoided: true });
    assert.deepEqual(await pagesOf({ activity: object.id }), [[], [id]]);
  });

  test('finds the last of those that a page examines', async () => {
    const object = activity('of-as-many-as-examined');
    const [id] = await lrs.store(statement({ object }));
    await copyStatement(database, id!, { isVoided: true, count: MAX_EXAMINED - 1 });
    assert.deepEqual((await pagesOf({ activity: object.id })).flat(), [id]);
  });
});
