import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

const item = (id: string, prerequisites: string | null) =>
  `<item identifier="${id}" identifierref="r1"><title>${id}</title>${prerequisitesOf(prerequisites)}</item>`;
const block = (id: string, prerequisites: string | null, ...items: string[]) =>
  `<item identifier="${id}"><title>${id}</title>${items.join('')}${prerequisitesOf(prerequisites)}</item>`;
const prerequisitesOf = (script: string | null) =>
  script === null
    ? ''
    : `<adlcp:prerequisites type="aicc_script"><![CDATA[${script}]]></adlcp:prerequisites>`;
const PASSED = { core: { lesson_status: 'passed' } };
const FAILED = { core: { lesson_status: 'failed' } };

describe('prerequisites of SCORM 1.2', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const start = async (...items: string[]) => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: items.join('') }));
    return { registrationId, player: await startLaunch(service, registrationId) };
  };
  type Contents = { units: { id: string; isOpen: boolean }[] };
  const closed = ({ units }: Contents) => units.filter(({ isOpen }) => !isOpen).map(({ id }) => id);

  it('keep a unit closed until they are met', async () => {
    const { player } = await start(item('a', null), item('b', 'a'), item('c', 'a & b'));
    assert.deepEqual(closed(await player.open()), ['b', 'c']);
    const refused = await player.post('unit', { unit: 'b' });
    assert.equal(refused.status, 409);
    assert.match(refused.body.detail, /prerequisites of the unit "b" are not met/);
    await player.openUnit('a');
    await player.commit('a', FAILED, { terminated: true });
    assert.deepEqual(closed((await player.post('units')).body), ['b', 'c']);
    await player.commit('a', PASSED, { terminated: true });
    assert.deepEqual(closed((await player.post('units')).body), ['c']);
    await player.openUnit('b');
  });

  it('reject results of a closed unit, but not the last requests of one that was started', async () => {
    const { player, registrationId } = await start(item('a', null), item('b', 'a'), item('c', '~a'));
    await player.open();
    const early = await player.commit('b', PASSED);
    assert.equal(early.status, 409, JSON.stringify(early.body));
    assert.match(early.body.detail, /prerequisites of the unit "b" are not met/);
    await player.commit('c', { core: { lesson_status: 'incomplete' } });
    await player.commit('a', PASSED, { terminated: true });
    assert.equal((await player.commit('b', PASSED)).status, 200);
    // Closed now, since "a" is passed.
    assert.equal((await player.post('unit', { unit: 'c' })).status, 409);
    assert.equal((await player.commit('c', PASSED)).status, 200);
    const { units } = (await service.api.get(`/registrations/${registrationId}`)).body;
    assert.deepEqual(
      units.map(({ success }: { success: string }) => success),
      ['PASS', 'PASS', 'PASS'],
    );
  });

  it('keep an asset from being marked as read', async () => {
    const asset = '<resource identifier="r2" type="webcontent" adlcp:scormtype="asset" href="asset.html"/>';
    const sco =
      '<resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="lesson/index.html"/>';
    const items = `${item('a', null)}<item identifier="b" identifierref="r2"><title>b</title>${prerequisitesOf('a')}</item>`;
    const files = { ...scorm12Course({ items, resources: sco + asset }), 'asset.html': '<p>Read this.</p>' };
    const { registrationId } = await registerTo(service, files);
    const player = await startLaunch(service, registrationId);
    const { page } = await player.open();
    const read = () => player.post('asset', { unit: 'b', page, visit: 1, sequence: 1 });
    assert.equal((await read()).status, 409);
    await player.commit('a', PASSED, { terminated: true });
    assert.deepEqual((await read()).body, { outcome: 'recorded' });
  });

  it('of a block apply to its units, and a block is completed when all its units are', async () => {
    const { player } = await start(
      block('first', null, item('a', null), item('b', null)),
      block('second', 'first', item('c', null), item('d', 'c')),
    );
    assert.deepEqual(closed(await player.open()), ['c', 'd']);
    await player.commit('a', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['c', 'd']);
    await player.commit('b', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['d']);
  });

  it('can name the status of a block, which has failed when one of its units has', async () => {
    const { player } = await start(
      block('first', null, item('a', null), item('b', null)),
      item('help', 'first="failed"'),
      item('test', 'first="incomplete"'),
    );
    assert.deepEqual(closed(await player.open()), ['help', 'test']);
    await player.commit('a', { core: { lesson_status: 'incomplete' } });
    assert.deepEqual(closed((await player.post('units')).body), ['help']);
    await player.commit('b', FAILED);
    assert.deepEqual(closed((await player.post('units')).body), ['test']);
  });

  it('that are invalid or name unknown units close nothing', async () => {
    const { player } = await start(item('a', '& ('), item('b', 'elsewhere'), item('c', 'elsewhere & a'));
    assert.deepEqual(closed(await player.open()), ['c']);
  });

  it('can require that a unit was browsed', async () => {
    const { player } = await start(
      item('a', null),
      item('b', 'a="browsed"'),
      item('c', 'a<>browsed'),
      item('d', 'b = "B"'),
    );
    const isClosed = async () => closed((await player.post('units')).body);
    assert.deepEqual(closed(await player.open()), ['b', 'd']);
    const early = await player.commit('b', { core: { lesson_status: 'incomplete' } });
    assert.equal(early.status, 409, JSON.stringify(early.body));
    await player.commit('a', { core: { lesson_status: 'browsed' } });
    assert.deepEqual(await isClosed(), ['c', 'd']);
    await player.openUnit('b');
    assert.equal((await player.commit('b', { core: { lesson_status: 'browsed' } })).status, 200);
    assert.deepEqual(await isClosed(), ['c']);
    await player.commit('a', PASSED, { terminated: true });
    assert.deepEqual(await isClosed(), ['b']);
  });

  it('are not met by a bookmark that contains the words of a browsed unit', async () => {
    const { player } = await start(item('a', null), item('b', 'a="browsed"'));
    await player.open();
    const words = JSON.stringify({ lesson_status: 'browsed' });
    await player.commit('a', { core: { lesson_status: 'incomplete' }, suspend_data: words });
    assert.deepEqual(closed((await player.post('units')).body), ['b']);
    assert.equal((await player.commit('b', PASSED)).status, 409);
  });

  it('are ignored beyond 250,000 characters together, which the course says', async () => {
    const long = `a${' & a'.repeat(999)}`;
    const items = Array.from({ length: 63 }, (_, n) => item(`b${n}`, long));
    const { courseId, registrationId } = await registerTo(
      service,
      scorm12Course({ items: [item('a', null), ...items, item('c', 'a')].join('') }),
    );
    const player = await startLaunch(service, registrationId);
    assert.deepEqual(
      closed(await player.open()),
      Array.from({ length: 62 }, (_, n) => `b${n}`),
    );
    const { warnings } = (await service.api.get(`/courses/${courseId}`)).body;
    assert.match(warnings.join(), /prerequisites have more than 250000 characters together/);
  });

  it('can require a certain status', async () => {
    const { player } = await start(item('a', null), item('b', 'a="failed"'), item('c', '~a'));
    assert.deepEqual(closed(await player.open()), ['b']);
    await player.commit('a', FAILED);
    assert.deepEqual(closed((await player.post('units')).body), []);
    await player.commit('a', PASSED);
    assert.deepEqual(closed((await player.post('units')).body), ['b', 'c']);
  });
});
