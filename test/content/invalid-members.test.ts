import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { borrowTestService, type LentService } from '../support/lent-service.ts';
import { importCourse, problemErrors, uploadForm } from './packages.ts';
import { register } from './registration-helpers.ts';

// Runs on SQLite in `npm test`: errors are collected in the process. The tests of bundles, equivalents, folders,
// courses, registrations and many accounts look up the same references on both.

const UNKNOWN = Number.MAX_SAFE_INTEGER;

describe('a 400 names members that break the schema together with missing and repeated references', () => {
  let service: LentService;
  let course: number;
  let account: number;
  aroundTests(async (parts) => {
    service = parts.use(await borrowTestService());
    course = (await importCourse(service)).id;
    account = (await service.api.create('/accounts', { name: 'Acme' })).id;
  });

  const assertNames = async (method: 'post' | 'put', path: string, body: unknown, ...pointers: string[]) => {
    const errors = problemErrors(await service.api[method](path, body), 400);
    assert.deepEqual(Object.keys(errors).toSorted(), pointers.toSorted(), `${method} ${path}`);
  };

  it('in bundles', async () => {
    const body = {
      name: 'b',
      folder_id: UNKNOWN,
      contents: [
        { type: 'BUNDLE', id: 1 },
        { type: 'COURSE', id: UNKNOWN },
        { type: 'COURSE', id: course },
        { type: 'COURSE', id: course },
        { type: 'COURSE', id: '1' },
        null,
      ],
    };
    const named = [
      '/folder_id',
      '/contents/0/type',
      '/contents/1/id',
      '/contents/3',
      '/contents/4/id',
      '/contents/5',
    ];
    await assertNames('post', '/bundles', body, ...named);
    const contents = [{ type: 'COURSE', id: course }];
    const bundle = await service.api.create('/bundles', { name: 'Week', contents });
    await assertNames('put', `/bundles/${bundle.id}`, body, ...named);
    await assertNames(
      'post',
      '/bundles',
      { folder_id: UNKNOWN, contents: 'x' },
      '/name',
      '/folder_id',
      '/contents',
    );
  });

  it('in equivalents', async () => {
    const body = {
      name: '',
      folder_id: UNKNOWN,
      courses: [
        { course_id: UNKNOWN, language: 'en' },
        { course_id: course, language: 'EN' },
        { course_id: '1', language: 'not a language' },
        { course_id: UNKNOWN },
      ],
    };
    const named = [
      '/name',
      '/folder_id',
      '/courses/0/course_id',
      '/courses/1/language',
      '/courses/2/course_id',
      '/courses/2/language',
      '/courses/3/course_id',
      '/courses/3/language',
    ];
    await assertNames('post', '/equivalents', body, ...named);
    const courses = [{ course_id: course, language: 'en' }];
    const equivalent = await service.api.create('/equivalents', { name: 'Fire', courses });
    await assertNames('put', `/equivalents/${equivalent.id}`, body, ...named);
  });

  it('in folders and courses', async () => {
    const folder = await service.api.create('/folders', { name: 'Safety' });
    const body = { name: 1, parent_id: UNKNOWN };
    await assertNames('post', '/folders', body, '/name', '/parent_id');
    await assertNames('put', `/folders/${folder.id}`, body, '/name', '/parent_id');
    await assertNames('put', `/courses/${course}`, { folder_id: UNKNOWN }, '/name', '/folder_id');
    const form = uploadForm(new Uint8Array([1]), { folder_id: String(UNKNOWN), nam: 'x' });
    await assertNames('post', '/courses', form, '/nam', '/folder_id');
  });

  it('and with unknown members of the query', async () => {
    const one = { account_id: UNKNOWN, course_id: UNKNOWN, learner_id: 'ann' };
    const query = '/query/dry_run';
    await assertNames('post', '/registrations?dry_run=1', one, '/account_id', '/course_id', query);
    const neither = { account_id: UNKNOWN, learner_id: '' };
    const named = ['/account_id', '/course_id', '/learner_id'];
    await assertNames('post', '/registrations?dry_run=1', neither, ...named, query);
    const changes = { account_ids: [UNKNOWN], contents: [{ type: 'COURSE', id: UNKNOWN }] };
    const missing = ['/account_ids/0', '/contents/0/id'];
    await assertNames('post', '/account-content/add?dry_run=1', changes, ...missing, query);
    await assertNames(
      'put',
      `/courses/${course}?dry_run=1`,
      { name: 'c', folder_id: UNKNOWN },
      '/folder_id',
      query,
    );
    const form = uploadForm(new Uint8Array([1]), { folder_id: String(UNKNOWN) });
    await assertNames('post', '/courses?dry_run=1', form, query);
  });

  it('in registrations', async () => {
    const one = { account_id: UNKNOWN, course_id: UNKNOWN, learner_id: '' };
    await assertNames('post', '/registrations', one, '/account_id', '/course_id', '/learner_id');
    const both = { account_id: '1', course_id: UNKNOWN, equivalent_id: UNKNOWN, learner_id: 'ann' };
    await assertNames('post', '/registrations', both, '/account_id', '/course_id', '/equivalent_id');
    const neither = { account_id: UNKNOWN, learner_id: 'ann' };
    await assertNames('post', '/registrations', neither, '/account_id', '/course_id');
  });

  it('in launches', async () => {
    const contents = [{ type: 'COURSE', id: course }];
    await service.api.post(`/accounts/${account}/content`, { contents });
    const { registration_id: id } = await register(service, { account_id: account, course_id: course });
    const body = { mode: 'x', return_url: 'ftp://example.com', language: '?' };
    await assertNames('post', `/registrations/${id}/launch`, body, '/mode', '/return_url', '/language');
    const { mode: _, ...fits } = body;
    await assertNames('post', `/registrations/${id}/launch`, fits, '/return_url', '/language');
  });

  it('in launches whose language does not fit the registration', async () => {
    const { api } = service;
    const courses = [{ course_id: course, language: 'de' }];
    const equivalent = (await api.create('/equivalents', { name: 'e', courses })).id;
    const contents = [
      { type: 'COURSE', id: course },
      { type: 'EQUIVALENT', id: equivalent },
    ];
    const party = (await api.create('/accounts', { name: 'Northwind' })).id;
    assert.equal((await api.post(`/accounts/${party}/content`, { contents })).status, 200);
    const registered = async (subject: object) =>
      (await api.create('/registrations', { account_id: party, learner_id: 'ann', ...subject }))
        .registration_id;
    const launch = { return_url: 'ftp://example.com', language: 'fr' };
    for (const subject of [{ course_id: course }, { equivalent_id: equivalent }]) {
      const path = `/registrations/${await registered(subject)}/launch`;
      await assertNames('post', path, launch, '/return_url', '/language');
      await assertNames('post', path, { ...launch, language: '!' }, '/return_url', '/language');
    }
    const path = `/registrations/${await registered({ equivalent_id: equivalent })}/launch`;
    await assertNames('post', path, { ...launch, language: 'de-CH' }, '/return_url');
    await assertNames('post', `/registrations/${UNKNOWN}/launch`, launch, '/return_url');
  });

  it('in the content of accounts', async () => {
    const contents = [
      { type: 'COURSE', id: course },
      { type: 'COURSE', id: course },
      { type: 'FOLDER', id: UNKNOWN },
      { type: 'X', id: 1 },
    ];
    const named = ['/contents/1', '/contents/2/id', '/contents/3/type'];
    await assertNames('post', `/accounts/${account}/content`, { contents }, ...named);
    const body = { account_ids: [account, UNKNOWN, account, 'x'], contents };
    const accounts = ['/account_ids/1', '/account_ids/2', '/account_ids/3'];
    for (const change of ['add', 'remove'])
      await assertNames('post', `/account-content/${change}`, body, ...accounts, ...named);
  });

  it('in a change of too many accounts and pieces of content, of which nothing is looked up', async () => {
    const body = {
      account_ids: Array.from({ length: 500 }, (_, n) => (n === 0 ? 'x' : UNKNOWN - n)),
      contents: Array.from({ length: 11 }, () => ({ type: 'COURSE', id: course })),
    };
    await assertNames('post', '/account-content/add', body, '/account_ids', '/account_ids/0');
  });
});
