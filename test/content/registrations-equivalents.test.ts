import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ManualClock } from '../support/clock.ts';
import { zipOf } from '../support/course-packages.ts';
import { openDatabaseOf, runSql } from '../support/database.ts';
import { beginTransaction, countWaiting } from '../support/open-transaction.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { problemErrors, uploadForm } from './packages.ts';

describe('a registration of an equivalent', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 31, 9, 30));
  let service: TestService;
  let target: Target;
  const courses: Record<string, number> = {};
  let equivalentId: number;
  let accountId: number;
  before(async () => {
    service = await startTestService({ now: clock.now });
    target = await startTarget();
    const { api } = service;
    for (const language of ['en-GB', 'en-US', 'de']) {
      const form = uploadForm(new Uint8Array(await zipOf(scorm12Course({ title: `In ${language}` }))));
      courses[language] = (await api.create('/courses', form)).id;
    }
    const listed = Object.entries(courses).map(([language, course_id]) => ({ language, course_id }));
    equivalentId = (await api.create('/equivalents', { name: 'Fire', courses: listed })).id;
    accountId = (await api.create('/accounts', { name: 'Northwind' })).id;
    await api.post(`/accounts/${accountId}/content`, {
      contents: [{ type: 'EQUIVALENT', id: equivalentId }],
    });
    await api.create('/webhooks', {
      name: 'Launches',
      topic: 'REGISTRATION',
      subtopics: ['REGISTRATION_LAUNCHED'],
      target_url: target.url,
    });
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  const register = async (): Promise<string> => {
    const body = { account_id: accountId, equivalent_id: equivalentId, learner_id: 'ada' };
    return (await service.api.create('/registrations', body)).registration_id;
  };
  const read = async (id: string) => (await service.api.get(`/registrations/${id}`)).body;
  const launch = (id: string, body: object = {}) => service.api.post(`/registrations/${id}/launch`, body);
  /** The message about the launch of a registration. */
  const launchOf = (id: string) =>
    until(
      () =>
        target.requests
          .map(({ json }) => json as { resource: { registration: Record<string, unknown> } })
          .find(({ resource }) => resource.registration.registration_id === id),
      'the launch is heard of',
    );
  /** Opens a link as a browser does that asks for these languages. */
  const open = (url: string, languages = '') =>
    fetch(url, { headers: { 'accept-language': languages }, redirect: 'manual' });
  /** Opens the player page that a link leads to, and returns the course's name. */
  const play = async (response: Response): Promise<{ status: number; course: string | undefined }> => {
    assert.equal(response.status, 303, await response.text());
    const address = response.headers.get('location')!;
    const answer = await fetch(new URL('../open', address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(address).origin },
      body: '{}',
    });
    const body = (await answer.json()) as { course?: { name: string } };
    return { status: answer.status, course: body.course?.name };
  };

  it('has the first course until a language is chosen', async () => {
    const record = await read(await register());
    assert.deepEqual(
      [record.equivalent_id, record.language, record.course_id],
      [equivalentId, null, courses['en-GB']],
    );
  });

  it('has the language that the launch requests, and the event names it', async () => {
    const id = await register();
    const { status, body } = await launch(id, { language: 'de-AT' });
    assert.equal(status, 200);
    const record = await read(id);
    assert.deepEqual([record.language, record.course_id], ['de', courses.de]);
    assert.equal((await launchOf(id)).resource.registration.course_id, courses.de);
    assert.deepEqual(await play(await open(body.launch_url, 'en-US')), { status: 200, course: 'In de' });
    assert.equal((await launch(id, { language: 'en-US' })).status, 200);
    assert.equal((await read(id)).language, 'de');
  });

  it('has the language of the browser once the learner opens the course', async () => {
    const id = await register();
    const { body } = await launch(id);
    const response = await open(body.launch_url, 'nl, de-CH;q=0.8, en;q=0.5');
    assert.equal((await read(id)).language, null);
    assert.deepEqual(await play(response), { status: 200, course: 'In de' });
    assert.equal((await read(id)).language, 'de');
    assert.deepEqual(await play(await open(body.launch_url, 'en-US')), { status: 200, course: 'In de' });
  });

  it('lets the learner choose if several languages match, or none', async () => {
    const id = await register();
    const { body } = await launch(id, { language: 'en' });
    const several = await open(body.launch_url, 'en');
    assert.equal(several.status, 200);
    const page = await several.text();
    assert.match(page, /<a href="\?language=en-GB" hreflang="en-GB">/);
    assert.doesNotMatch(page, /hreflang="de"/);
    const any = (await launch(await register())).body.launch_url;
    assert.match(await (await open(any, 'nl')).text(), /hreflang="de"[\s\S]*Deutsch/);
    assert.deepEqual(await play(await open(`${body.launch_url}?language=en-US`, 'de')), {
      status: 200,
      course: 'In en-US',
    });
    assert.equal((await read(id)).language, 'en-US');
  });

  it('keeps the language that was opened first; another window does not change it', async () => {
    const id = await register();
    const { body } = await launch(id);
    const [one, other] = [await open(body.launch_url, 'de'), await open(body.launch_url, 'en-US')];
    assert.equal((await play(one)).status, 200);
    assert.notEqual((await play(other)).status, 200);
    assert.equal((await read(id)).language, 'de');
  });

  it('keeps the chosen language of a course that the equivalent lists for several', async () => {
    const { api } = service;
    const listed = ['en', 'de', 'fr'].map((language) => ({ language, course_id: courses.de }));
    const { id: multilingual } = await api.create('/equivalents', { name: 'Multilingual', courses: listed });
    await api.post(`/accounts/${accountId}/content`, {
      contents: [{ type: 'EQUIVALENT', id: multilingual }],
    });
    const openings: [query: string, accepted: string, language: string][] = [
      ['?language=de', 'fr', 'de'],
      ['', 'fr-CH', 'fr'],
      ['', 'en', 'en'],
    ];
    for (const [query, accepted, language] of openings) {
      const body = { account_id: accountId, equivalent_id: multilingual, learner_id: 'ada' };
      const id: string = (await api.create('/registrations', body)).registration_id;
      const { launch_url: url } = (await launch(id)).body;
      assert.deepEqual(await play(await open(url + query, accepted)), { status: 200, course: 'In de' });
      assert.equal((await read(id)).language, language);
    }
  });

  it('has the language of the latest launch call until the learner opens the course', async () => {
    const id = await register();
    const { body } = await launch(id, { language: 'de', mode: 'browse' });
    assert.equal((await read(id)).language, 'de');
    assert.equal((await launch(id, { language: 'en-US' })).status, 200);
    assert.equal((await launch(id)).status, 200);
    const { language, course_id } = await read(id);
    assert.deepEqual([language, course_id], ['en-US', courses['en-US']]);
    problemErrors(await launch(id, { language: 'nl' }), 400);
    assert.deepEqual(await play(await open(body.launch_url, 'de')), { status: 200, course: 'In en-US' });
    assert.equal((await launch(id, { language: 'de' })).status, 200, 'it has no effect any more');
    assert.equal((await read(id)).language, 'en-US');
  });

  it('lets the learner choose if the latest launch call matches several courses', async () => {
    const id = await register();
    await launch(id, { language: 'de' });
    const { body } = await launch(id, { language: 'en' });
    const record = await read(id);
    assert.deepEqual([record.language, record.course_id], [null, courses['en-GB']]);
    assert.match(await (await open(body.launch_url, 'en')).text(), /hreflang="en-US"/);
    await launch(id, { language: 'en-US' });
    await launch(id, { language: 'en' });
    assert.equal((await read(id)).language, 'en-US', 'it is one of those that match');
  });

  it('keeps its language once it has a result, also without the learner having opened a course', async () => {
    for (const result of [{ completion: 'Completed' }, { success: 'FAIL' }, { score: 0 }]) {
      const id = await register();
      await launch(id, { language: 'de' });
      const status = { completion: 'Unknown', success: 'UNKNOWN', ...result };
      assert.equal((await service.api.put(`/registrations/${id}/status`, status)).status, 200);
      for (const language of ['en-US', 'en']) assert.equal((await launch(id, { language })).status, 200);
      const record = await read(id);
      assert.deepEqual([record.language, record.course_id], ['de', courses.de], JSON.stringify(result));
    }
  });

  it('lets the learner choose again after a reset', async () => {
    const id = await register();
    await launch(id, { language: 'de' });
    const { language, course_id, version_id } = (await service.api.post(`/registrations/${id}/reset`)).body;
    assert.deepEqual([language, course_id, version_id], [null, courses['en-GB'], 0]);
    await launch(id, { language: 'en-US' });
    assert.equal((await read(id)).course_id, courses['en-US']);
  });

  it('has the first course after a reset, and the event of the reset has the course that was reset', async () => {
    const id = await register();
    await play(await open((await launch(id, { language: 'de' })).body.launch_url));
    const done = { completion: 'Completed', success: 'PASS' };
    assert.equal((await service.api.put(`/registrations/${id}/status`, done)).status, 200);
    assert.equal((await service.api.post(`/registrations/${id}/reset`)).body.course_id, courses['en-GB']);
    const { data } = (
      await service.api.get(`/events?registration_id=${id}&subtopic=REGISTRATION_STATUS_UPDATED`)
    ).body;
    const events = await Promise.all(
      data.map(async ({ id: event }: { id: string }) => (await service.api.get(`/events/${event}`)).body),
    );
    const described = events.map(({ resource }) => [
      resource.registration.completion,
      resource.registration.course_id,
      resource.content.course.id,
    ]);
    assert.deepEqual(described, [
      ['Unknown', courses.de, courses.de],
      ['Completed', courses.de, courses.de],
    ]);
  });

  it('has another revision once a language is chosen, by the launch or by the learner', async () => {
    const byLaunch = async (id: string) => void (await launch(id, { language: 'de' }));
    const byLearner = async (id: string) =>
      void (await play(await open((await launch(id)).body.launch_url, 'de')));
    for (const choose of [byLaunch, byLearner]) {
      const id = await register();
      await launch(id);
      const { headers, body: before } = await service.api.get(`/registrations/${id}`);
      clock.pass(1_000);
      await choose(id);
      const status = { completion: 'Completed', success: 'PASS', duration: 1 };
      const condition = { 'if-match': headers.get('etag') ?? '' };
      problemErrors(await service.api.put(`/registrations/${id}/status`, status, condition), 412);
      const { language, updated_dt } = await read(id);
      assert.deepEqual(
        [language, updated_dt],
        ['de', new Date(Date.parse(before.updated_dt) + 1_000).toISOString()],
      );
    }
  });

  describe('whose equivalent or account changes before a language is chosen', () => {
    /** Creates an equivalent for an account of its own, and a registration for it. */
    async function registerApart(languages: readonly string[]) {
      const { api } = service;
      const equivalent = (await api.create('/equivalents', bodyOf(languages))).id;
      const account = (await api.create('/accounts', { name: 'Apart' })).id;
      await give(account, 'EQUIVALENT', equivalent);
      const body = { account_id: account, equivalent_id: equivalent, learner_id: 'ada' };
      const id: string = (await api.create('/registrations', body)).registration_id;
      return { equivalent, account, id };
    }
    const bodyOf = (languages: readonly string[]) => ({
      name: 'Apart',
      courses: languages.map((language) => ({ language, course_id: courses[language] })),
    });
    const give = async (account: number, type: string, id: number | undefined) => {
      const { status } = await service.api.post(`/accounts/${account}/content`, { contents: [{ type, id }] });
      assert.equal(status, 200);
    };
    const take = async (account: number, type: string, id: number) => {
      assert.equal((await service.api.delete(`/accounts/${account}/content/${type}/${id}`)).status, 204);
    };

    it('is launched with the first course that the equivalent has now', async () => {
      const { equivalent, id } = await registerApart(['en-GB', 'de']);
      const changed = await service.api.put(`/equivalents/${equivalent}`, bodyOf(['en-US', 'de']));
      assert.equal(changed.status, 200);
      const { status, body } = await launch(id);
      assert.equal(status, 200, JSON.stringify(body));
      const record = await read(id);
      assert.deepEqual([record.language, record.course_id], [null, courses['en-US']]);
      const { resource } = await launchOf(id);
      assert.equal(resource.registration.course_id, courses['en-US']);
      assert.deepEqual(await play(await open(body.launch_url, 'en')), { status: 200, course: 'In en-US' });
    });

    it('is launched with the course that is the first now, if no language is chosen', async () => {
      const { equivalent, id } = await registerApart(['en-GB', 'de']);
      await service.api.put(`/equivalents/${equivalent}`, bodyOf(['de', 'en-GB']));
      assert.equal((await launch(id)).status, 200);
      assert.equal((await launchOf(id)).resource.registration.course_id, courses.de);
      const { language, course_id } = await read(id);
      assert.deepEqual([language, course_id], [null, courses.de]);
    });

    it('keeps the course of its result although another is the first now, until the equivalent lacks it', async () => {
      const { equivalent, id } = await registerApart(['en-GB', 'de']);
      const done = { completion: 'Completed', success: 'PASS' };
      assert.equal((await service.api.put(`/registrations/${id}/status`, done)).status, 200);
      for (const [languages, course] of [
        [['de', 'en-GB'], 'en-GB'],
        [['de', 'en-US'], 'de'],
      ] as const) {
        await service.api.put(`/equivalents/${equivalent}`, bodyOf(languages));
        assert.equal((await launch(id)).status, 200);
        assert.equal((await read(id)).course_id, courses[course]);
      }
    });

    it('is not launched, in any language, once the account no longer has the equivalent', async () => {
      const { equivalent, account, id } = await registerApart(['en-GB', 'de']);
      await give(account, 'COURSE', courses['en-GB']);
      await take(account, 'EQUIVALENT', equivalent);
      for (const body of [{}, { language: 'de' }, { language: 'en-GB' }]) {
        const refused = await launch(id, body);
        problemErrors(refused, 409);
        assert.match(refused.body.detail, /does not have the equivalent/);
      }
      const record = await read(id);
      assert.deepEqual(
        [record.language, record.course_id, record.launched_dt],
        [null, courses['en-GB'], null],
      );
    });

    const skip = !ON_POSTGRES && 'SQLite runs one transaction after the other';
    it('waits for a change of the equivalent that has begun, and follows it', { skip }, async () => {
      const { equivalent, account, id } = await registerApart(['en-GB', 'de']);
      const other = await registerApart(['en-GB', 'de']);
      const { body } = await launch(other.id);
      await service.api.put(`/equivalents/${other.equivalent}`, bodyOf(['de', 'en-GB']));
      const opened = await open(body.launch_url, 'en-GB');
      await using database = await openDatabaseOf(service.settings.data_dir);
      const change = await beginTransaction(database);
      for (const changed of [equivalent, other.equivalent]) {
        await change.tx.run('update equivalents set revision = revision + 1 where id = ?', changed);
        await change.tx.all('select id from equivalents where id = ? for update', changed);
        const removed = 'delete from equivalent_courses where equivalent_id = ? and course_id = ?';
        await change.tx.run(removed, changed, courses['en-GB']!);
      }
      const create = { account_id: account, equivalent_id: equivalent, learner_id: 'ada' };
      const answers = Promise.all([
        service.api.post('/registrations', create),
        launch(id, { language: 'en-GB' }),
        play(opened),
      ]);
      try {
        await until(async () => (await countWaiting(database)) === 3, 'all three wait for the change');
      } finally {
        await change.commit();
      }
      const [created, launched, played] = await answers;
      assert.deepEqual([created.status, created.body.course_id], [201, courses.de]);
      problemErrors(launched, 400);
      assert.equal(played.status, 410);
    });

    it('needs the equivalent for another language, and only the course for that of an earlier launch', async () => {
      const { equivalent, account, id } = await registerApart(['en-GB', 'de']);
      await launch(id, { language: 'de' });
      await give(account, 'COURSE', courses.de);
      await take(account, 'EQUIVALENT', equivalent);
      for (const body of [{}, { language: 'de' }]) assert.equal((await launch(id, body)).status, 200);
      problemErrors(await launch(id, { language: 'en-GB' }), 409);
      assert.equal((await read(id)).language, 'de');
    });

    it('plays its course if an earlier release deleted the equivalent, whatever language is requested', async () => {
      const { equivalent, account, id } = await registerApart(['en-GB', 'de']);
      await give(account, 'COURSE', courses['en-GB']);
      await take(account, 'EQUIVALENT', equivalent);
      for (const rows of ['equivalent_courses where equivalent_id', 'equivalents where id']) {
        await runSql(service.settings.data_dir, `delete from ${rows} = ?`, equivalent);
      }
      const { status, body } = await launch(id, { language: 'de' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(await play(await open(body.launch_url, 'de')), { status: 200, course: 'In en-GB' });
    });
  });

  it('is rejected without a course, with both, and if the asset does not exist or the account does not have it', async () => {
    const { api } = service;
    const create = (body: object) =>
      api.post('/registrations', { account_id: accountId, learner_id: 'ada', ...body });
    assert.deepEqual(Object.keys(problemErrors(await create({}), 400)), ['/course_id']);
    assert.deepEqual(
      Object.keys(problemErrors(await create({ course_id: 1, equivalent_id: equivalentId }), 400)),
      ['/equivalent_id'],
    );
    assert.deepEqual(Object.keys(problemErrors(await create({ equivalent_id: 999 }), 400)), [
      '/equivalent_id',
    ]);
    const { id: other } = await api.create('/accounts', { name: 'Other' });
    assert.equal((await create({ account_id: other, equivalent_id: equivalentId })).status, 409);
    const id = await register();
    assert.match(
      problemErrors(await launch(id, { language: 'nl' }), 400)['/language'] ?? '',
      /en-GB, en-US, de/,
    );
    problemErrors(await launch(id, { language: 'not a tag' }), 400);
    const ofCourse = await create({ course_id: courses.de });
    problemErrors(await launch(ofCourse.body.registration_id, { language: 'de' }), 400);
  });
});
