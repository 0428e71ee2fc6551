import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { importCourse, scormPackage, uploadForm } from './packages.ts';

// Runs on SQLite in `npm test`: languages are compared in the process. The tests of registrations for equivalents
// store the chosen ones on both.

describe('a launch whose language matches several courses of an equivalent', () => {
  let service: TestService;
  const courses: Record<string, number> = {};
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    for (const language of ['en', 'de-DE', 'de-AT'])
      courses[language] = (await importCourse(service, { name: `<i>${language}</i> & more` })).id;
  });

  const bodyOf = (languages: readonly string[]) => ({
    name: 'Fire',
    courses: languages.map((language) => ({ language, course_id: courses[language] })),
  });
  /** Registers for an equivalent of its own, and launches that in German. */
  async function launchInGerman(members: object = {}) {
    const { api } = service;
    const equivalent = (await api.create('/equivalents', bodyOf(['en', 'de-DE', 'de-AT']))).id;
    const account = (await api.create('/accounts', { name: 'Northwind' })).id;
    const contents = [{ type: 'EQUIVALENT', id: equivalent }];
    assert.equal((await api.post(`/accounts/${account}/content`, { contents })).status, 200);
    const body = { account_id: account, equivalent_id: equivalent, learner_id: 'ada' };
    const { registration_id: id } = await api.create('/registrations', body);
    const launch = await api.post(`/registrations/${id}/launch`, { language: 'de', ...members });
    assert.equal(launch.status, 200, JSON.stringify(launch.body));
    return { equivalent, id, url: launch.body.launch_url };
  }
  /** What a browser that accepts these languages gets: the only language that opens, or those that the page offers. */
  async function opened(url: string, accepted: string, wanted: { id: string }): Promise<string | string[]> {
    const headers = { 'accept-language': accepted };
    const response = await fetch(url, { headers, redirect: 'manual' });
    const page = await response.text();
    if (response.status !== 303)
      return [...page.matchAll(/hreflang="([^"]+)"/g)].map(([, language = '']) => language);
    const address = response.headers.get('location')!;
    const open = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    assert.equal((await fetch(new URL('../open', address), open)).status, 200);
    return (await service.api.get(`/registrations/${wanted.id}`)).body.language;
  }

  for (const [accepted, languages] of [
    ['en', ['de-DE', 'de-AT']],
    ['en-US, de;q=0.5', ['de-DE', 'de-AT']],
    ['', ['de-DE', 'de-AT']],
    ['en, de-AT;q=0.5', 'de-AT'],
  ] as const) {
    it(`opens one of these only, in a browser that accepts "${accepted}"`, async () => {
      const launch = await launchInGerman();
      assert.deepEqual(await opened(launch.url, accepted, launch), languages);
    });
  }

  it('also does so with a mode and an address to return to', async () => {
    const members = { mode: 'browse', return_url: 'https://portal.example/köln' };
    const launch = await launchInGerman(members);
    assert.deepEqual(await opened(launch.url, 'en', launch), ['de-DE', 'de-AT']);
    assert.equal(await opened(`${launch.url}?language=de-DE`, 'en', launch), 'de-DE');
  });

  it('offers them by name, whatever the names contain', async () => {
    const { url } = await launchInGerman();
    const page = await (await fetch(url, { headers: { 'accept-language': '' } })).text();
    for (const language of ['de-DE', 'de-AT'])
      assert.ok(page.includes(`<bdi>&lt;i&gt;${language}&lt;/i&gt; &amp; more</bdi>`), page);
  });

  it('opens the chosen course again, although its version has another number than that of the first course', async () => {
    const { api } = service;
    const path = `/courses/${courses['de-DE']}/versions`;
    assert.equal((await api.post(path, uploadForm(await scormPackage()))).status, 201);
    assert.equal((await api.post(`${path}/1/publish`)).status, 200);
    const launch = await launchInGerman();
    for (const query of ['?language=de-DE', ''])
      assert.equal(await opened(launch.url + query, '', launch), 'de-DE', query);
  });

  it('lets the learner choose none of the others', async () => {
    const launch = await launchInGerman();
    assert.deepEqual(await opened(`${launch.url}?language=en`, 'en', launch), ['de-DE', 'de-AT']);
  });

  it('opens any of the equivalent’s languages once it has none of these', async () => {
    const launch = await launchInGerman();
    const changed = await service.api.put(`/equivalents/${launch.equivalent}`, bodyOf(['en']));
    assert.equal(changed.status, 200);
    assert.equal(await opened(launch.url, 'de', launch), 'en');
  });

  it('opens the language of a later launch call that only one course matches', async () => {
    const launch = await launchInGerman();
    const later = await service.api.post(`/registrations/${launch.id}/launch`, { language: 'en' });
    assert.equal(later.status, 200);
    assert.equal(await opened(launch.url, 'de-AT', launch), 'en');
  });
});
