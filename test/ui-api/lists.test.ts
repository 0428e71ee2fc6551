import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FORMER_VERSIONS, importCourse } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Enough for several pages, with names that share parts, occur twice, or contain special characters of patterns. */
const NAMES = [
  'Alpha',
  'alpha beta',
  'ALPHA',
  'Ärzte',
  'ärzte 100%',
  'under_score',
  'under-score',
  'b*[x]?',
  'Beta',
  '100',
  'Живой',
  'zeta',
] as const;

interface Row {
  id: number;
  name: string;
  [member: string]: unknown;
}

/** The model: the rows that a list must return, from all rows. */
function expected(
  rows: readonly Row[],
  {
    search,
    sort,
    direction,
    limit,
    offset,
    fits = () => true,
  }: {
    search: string;
    sort: (row: Row) => string | number;
    direction: 'asc' | 'desc';
    limit: number;
    offset: number;
    fits?: (row: Row) => boolean;
  },
): { total: number; ids: number[] } {
  const found = rows.filter(
    (row) =>
      (search === '' || row.name.toLowerCase().includes(search.toLowerCase()) || String(row.id) === search) &&
      fits(row),
  );
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (a: Row, b: Row) => {
    const [x, y] = [sort(a), sort(b)];
    const order =
      typeof x === 'string' ? Buffer.compare(Buffer.from(x), Buffer.from(String(y))) : x - (y as number);
    return sign * (order || a.id - b.id);
  };
  const ids = found.toSorted(compare).map(({ id }) => id);
  return { total: ids.length, ids: ids.slice(offset, offset + limit) };
}

/** ASCII in lower case, as names are ordered. */
const byName = (row: Row) => row.name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const query = fc.record({
  search: fc.oneof(
    fc.constant(''),
    fc.constantFrom('a', 'ALPHA', 'ÄRZ', 'жив', '%', '_', '*', '[x]', '?', '1', '12', 'none such'),
  ),
  direction: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 8 }),
  offset: fc.integer({ min: 0, max: 14 }),
});

async function list(service: TestService, path: string, members: Record<string, string | number | boolean>) {
  const search = new URLSearchParams(
    Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const { status, body } = await service.api.get(`/ui/api/${path}?${search}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

describe('the search, order and pages of admin UI lists agree with a simple model, for', () => {
  let service: TestService;
  const accounts: Row[] = [];
  const webhooks: Row[] = [];
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    for (const [index, name] of NAMES.entries()) {
      accounts.push(await service.api.create('/accounts', { name, enabled: index % 3 !== 0 }));
      webhooks.push(
        await service.api.create('/webhooks', {
          name,
          topic: index % 2 === 0 ? 'ACCOUNT' : 'COURSE',
          target_url: 'http://127.0.0.1:9/',
          enabled: index % 4 !== 0,
        }),
      );
    }
    for (const webhook of webhooks)
      webhook.depth = (await service.api.get(`/webhooks/${webhook.id}/line`)).body.depth;
    assert.ok(new Set(webhooks.map(({ depth }) => depth)).size > 2, 'lines of several depths');
  });

  test('accounts', async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom('name', 'created'),
        fc.constantFrom(null, true, false),
        async (asked, sort, enabled) => {
          const body = await list(service, 'accounts', {
            ...asked,
            sort,
            ...(enabled === null ? {} : { enabled }),
          });
          const model = expected(accounts, {
            ...asked,
            sort: sort === 'name' ? byName : (row) => Date.parse(String(row.created_dt)),
            fits: (row) => enabled === null || row.enabled === enabled,
          });
          assert.deepEqual(
            { total: body.total, ids: body.data.map((row: Row) => row.id) },
            model,
            JSON.stringify({ asked, sort, enabled }),
          );
          assert.deepEqual([body.limit, body.offset], [asked.limit, asked.offset]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('webhooks', async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom('name', 'created', 'last_activity', 'success_count', 'error_count', 'depth'),
        fc.constantFrom(null, 'active', 'inactive', 'in_error', 'blocked'),
        fc.constantFrom(null, 'ACCOUNT', 'COURSE'),
        async (asked, sort, state, topic) => {
          const body = await list(service, 'webhooks', {
            ...asked,
            sort,
            ...(state === null ? {} : { state }),
            ...(topic === null ? {} : { topic }),
          });
          const model = expected(webhooks, {
            ...asked,
            sort: (row) => {
              if (sort === 'name') return byName(row);
              if (sort === 'created') return Date.parse(String(row.created_dt));
              // Nothing was delivered yet: the others are ties.
              return sort === 'depth' ? Number(row.depth) : 0;
            },
            fits: (row) =>
              (topic === null || row.topic === topic) &&
              (state === null ||
                (state === 'active' && row.enabled === true) ||
                (state === 'inactive' && row.enabled === false)),
          });
          assert.deepEqual(
            { total: body.total, ids: body.data.map((row: Row) => row.id) },
            model,
            JSON.stringify({ asked, sort, state, topic }),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a search for white space, which is no search, and unknown members, which are rejected by name', async () => {
    assert.equal((await list(service, 'accounts', { search: '  ' })).total, NAMES.length);
    for (const [path, pointer] of [
      ['accounts?sort=size', '/query/sort'],
      ['accounts?enable=true', '/query/enable'],
      ['webhooks?limit=201', '/query/limit'],
      ['webhooks?offset=-1', '/query/offset'],
      ['courses?learning_standard=SCORM', '/query/learning_standard'],
      ['registrations?status=done', '/query/status'],
      ['search/assets?types=ACCOUNT,CAR', '/query/types'],
      ['search/assets/by-id?assets=ACCOUNT:x', '/query/assets'],
    ] as const) {
      const { status, body } = await service.api.get(`/ui/api/${path}`);
      assert.equal(status, 400, path);
      assert.deepEqual(
        body.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
      );
    }
  });
});

describe('lists of content', () => {
  let service: TestService;
  let safety: number;
  let fire: number;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    const { api } = service;
    safety = (await api.create('/folders', { name: 'Safety' })).id;
    fire = (await api.create('/folders', { name: 'Fire', parent_id: safety })).id;
    await importCourse(service, { name: 'Fire drill', folder_id: String(fire) });
    await importCourse(service, { name: 'First aid', folder_id: String(safety) });
    await importCourse(service, { name: 'Welcome' });
    await api.create('/equivalents', {
      name: 'Drills',
      folder_id: fire,
      courses: [
        { course_id: 1, language: 'en' },
        { course_id: 2, language: 'de' },
      ],
    });
    await api.create('/bundles', { name: 'All', contents: [{ type: 'COURSE', id: 1 }] });
    await api.create('/accounts', { name: 'Northwind' });
    const contents = [
      { type: 'COURSE', id: 1 },
      { type: 'BUNDLE', id: 1 },
      { type: 'FOLDER', id: safety },
      { type: 'EQUIVALENT', id: 1 },
    ];
    assert.equal((await api.post('/accounts/1/content', { contents })).status, 200);
    for (const [course_id, learner_id] of [
      [1, 'ann'],
      [2, 'bob'],
    ]) {
      await api.create('/registrations', { account_id: 1, course_id, learner_id });
    }
  });

  const namesOf = (body: { data: Row[] }) => body.data.map(({ name }) => name);

  test('list courses by folder, with or without its subfolders', async () => {
    const inSafety = await list(service, 'courses', { folder_id: safety });
    assert.deepEqual(namesOf(inSafety), ['First aid']);
    const below = await list(service, 'courses', { folder_id: safety, recursive: true });
    assert.deepEqual(namesOf(below), ['Fire drill', 'First aid']);
    assert.deepEqual(
      below.data.map(({ location }: Row) => location),
      ['Home > Safety > Fire', 'Home > Safety'],
    );
    assert.equal((await list(service, 'courses', { learning_standard: 'SCORM_12' })).total, 3);
    // Former versions do not count.
    await runSql(service.settings.data_dir, FORMER_VERSIONS);
    assert.equal((await list(service, 'courses', { learning_standard: 'AICC' })).total, 0);
  });

  test('show languages of equivalents, sizes of bundles, and contents of folders', async () => {
    const [equivalent] = (await list(service, 'equivalents', {})).data;
    assert.deepEqual([equivalent.languages, equivalent.location], [['en', 'de'], 'Home > Safety > Fire']);
    assert.equal((await list(service, 'bundles', {})).data[0].content_count, 1);
    const folders = (await list(service, 'folders', {})).data;
    assert.deepEqual(
      folders.map((folder: Row) => [
        folder.name,
        folder.parent_id,
        folder.course_count,
        folder.equivalent_count,
        folder.bundle_count,
      ]),
      [
        ['Home', null, 1, 0, 1],
        ['Safety', 1, 1, 0, 0],
        ['Fire', safety, 1, 1, 0],
      ],
    );
  });

  test('search an account’s content across all types', async () => {
    const all = await list(service, 'accounts/1/contents', {});
    assert.deepEqual(namesOf(all), ['All', 'Drills', 'Fire drill', 'Safety']);
    assert.equal(all.data.at(-1).location, 'Home');
    assert.deepEqual(namesOf(await list(service, 'accounts/1/contents', { search: 'DRILL' })), [
      'Drills',
      'Fire drill',
    ]);
    const folders = await list(service, 'accounts/1/contents', { type: 'FOLDER' });
    assert.deepEqual(namesOf(folders), ['Safety']);
    assert.equal((await list(service, 'accounts', {})).data[0].content_count, 4);
    assert.equal((await service.api.get('/ui/api/accounts/404/contents')).status, 404);
  });

  test('find content to add across all types, page by page, and mark what the account already has', async () => {
    const { id } = await service.api.create('/accounts', { name: 'Woodgrove' });
    const give = { contents: [{ type: 'COURSE', id: 2 }] };
    assert.equal((await service.api.post(`/accounts/${id}/content`, give)).status, 200);
    const path = 'addable-content';
    // All accounts are counted, so their last page exists.
    assert.equal((await service.api.get('/ui/api/addable-accounts?offset=29950')).status, 200);
    const all = await list(service, path, { account_id: id });
    assert.deepEqual(
      all.data.map(({ type, name, location, held }: Row) => [type, name, location, held]),
      [
        ['BUNDLE', 'All', 'Home', false],
        ['EQUIVALENT', 'Drills', 'Home > Safety > Fire', false],
        ['FOLDER', 'Fire', 'Home > Safety', false],
        ['COURSE', 'Fire drill', 'Home > Safety > Fire', false],
        ['COURSE', 'First aid', 'Home > Safety', true],
        ['FOLDER', 'Home', '', false],
        ['FOLDER', 'Safety', 'Home', false],
        ['COURSE', 'Welcome', 'Home', false],
      ],
    );
    assert.deepEqual([all.total, all.total_is_lower_bound], [8, false]);
    for (let offset = 0; offset <= 8; offset += 3) {
      const page = await list(service, path, { account_id: id, limit: 3, offset });
      assert.deepEqual(page.data, all.data.slice(offset, offset + 3));
      assert.equal(page.total, 8);
    }
    const found = await list(service, path, { search: 'fire', limit: 1, offset: 1 });
    assert.deepEqual([found.total, namesOf(found)], [2, ['Fire drill']]);
    assert.deepEqual(namesOf(await list(service, path, { search: 'ir' })), [
      'Fire',
      'Fire drill',
      'First aid',
    ]);
    assert.deepEqual(namesOf(await list(service, path, { types: 'COURSE', search: 'FIRST AID' })), [
      'First aid',
    ]);
    const both = await list(service, path, { types: 'COURSE,EQUIVALENT', search: '2' });
    assert.deepEqual(
      both.data.map(({ name, held }: Row) => [name, held]),
      [['First aid', false]],
    );
    assert.equal((await service.api.get(`/ui/api/${path}?account_id=404`)).status, 404);
    assert.equal((await service.api.get(`/ui/api/${path}?types=COURSE,ACCOUNT`)).status, 400);
  });

  test('list filtered registrations, newest first, with the names of account and course', async () => {
    const all = await list(service, 'registrations', {});
    assert.deepEqual(
      all.data.map((row: Row) => [row.learner_id, row.account_name, row.course_name]),
      [
        ['bob', 'Northwind', 'First aid'],
        ['ann', 'Northwind', 'Fire drill'],
      ],
    );
    assert.equal(all.total_is_lower_bound, false);
    assert.equal((await list(service, 'registrations', { learner_id: 'ann' })).total, 1);
    assert.equal((await list(service, 'registrations', { learner_id: 'an' })).total, 0);
    assert.equal((await list(service, 'registrations', { course_id: 3 })).total, 0);
    for (const [search, learners] of [
      ['', ['bob', 'ann']],
      ['AN', ['ann']],
      ['nn', []],
      [' bob ', ['bob']],
    ] as const) {
      const found = await list(service, 'registrations', { search });
      assert.deepEqual(
        found.data.map((row: Row) => row.learner_id),
        learners,
      );
      assert.equal(found.total, learners.length);
    }
    assert.equal((await list(service, 'registrations', { search: 'a', course_id: 2 })).total, 0);
    const { registration_id: id } = all.data[0];
    const passed = await service.api.put(`/registrations/${id}/status`, {
      completion: 'Completed',
      success: 'PASS',
    });
    assert.equal(passed.status, 200, JSON.stringify(passed.body));
    const counts: Record<string, number> = {};
    for (const status of ['not_launched', 'in_progress', 'completed', 'passed', 'failed'])
      counts[status] = (await list(service, 'registrations', { status })).total;
    assert.deepEqual([counts.completed, counts.passed, counts.failed], [1, 1, 0]);
  });

  test('find whole names first, then beginnings, then parts, across the requested types', async () => {
    const { api } = service;
    for (const name of ['A fire', 'Fire', 'Fire brigade']) await api.create('/accounts', { name });
    const found = async (asked: Record<string, string>) => {
      const body = await list(service, 'search/assets', asked);
      return body.data.map((asset: Row) => `${asset.type} ${asset.name} (${asset.location})`);
    };
    assert.deepEqual(await found({ search: 'fire' }), [
      'ACCOUNT Fire (null)',
      'FOLDER Fire (Home > Safety)',
      'ACCOUNT Fire brigade (null)',
      'COURSE Fire drill (Home > Safety > Fire)',
      'ACCOUNT A fire (null)',
    ]);
    assert.deepEqual(await found({ search: 'fire', types: 'COURSE,FOLDER', limit: '1' }), [
      'FOLDER Fire (Home > Safety)',
    ]);
    const whole = await list(service, 'search/assets', { search: 'fire' });
    const { data, ...part } = await list(service, 'search/assets', { search: 'fire', limit: 2, offset: 2 });
    assert.deepEqual(data, whole.data.slice(2, 4));
    assert.deepEqual(part, { total: 5, limit: 2, offset: 2, total_is_lower_bound: false });
    const chosen = await list(service, 'search/assets/by-id', {
      assets: `COURSE:3,ACCOUNT:1,COURSE:404,FOLDER:${fire}`,
    });
    assert.deepEqual(namesOf(chosen), ['Welcome', 'Northwind', 'Fire']);
  });
});
