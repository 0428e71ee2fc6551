import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Package } from '../support/course-packages.ts';
import { MOMENT } from '../support/moment.ts';
import { type Api, CLIENT_EMAIL, startTestService, type TestService, until } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { targetOfEachTest } from '../support/target-of-each-test.ts';
import { importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

/** The course in a course's message. */
interface PublishedCourse {
  id: number;
  name: string;
  version_id: number;
  learning_standard: string;
  location: string;
}

describe('events of courses', () => {
  let service: TestService;
  let api: Api;
  let target: Target;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });
  targetOfEachTest(
    () => api,
    (started) => {
      target = started;
    },
  );

  async function createWebhook(configuration: Record<string, unknown> = {}): Promise<{ id: number }> {
    return await api.create('/webhooks', {
      name: 'Courses',
      topic: 'COURSE',
      target_url: target.url,
      ...configuration,
    });
  }

  async function uploadVersion(id: number): Promise<void> {
    const form = uploadForm(new Uint8Array(await cmi5Package()));
    assert.equal((await api.post(`/courses/${id}/versions`, form)).status, 201);
  }

  async function publish(id: number, versionId: number): Promise<void> {
    assert.equal((await api.post(`/courses/${id}/versions/${versionId}/publish`)).status, 200);
  }

  /** The whole message, byte for byte but for its timestamp. */
  function assertMessage(
    index: number,
    webhook: { id: number },
    subtopic: string,
    course: PublishedCourse,
  ): void {
    const { text, json } = target.requests[index]!;
    const { timestamp } = json as { timestamp: string };
    assert.match(timestamp, MOMENT);
    assert.equal(
      text,
      JSON.stringify({
        subscription_id: webhook.id,
        name: 'Courses',
        topic: 'COURSE',
        subtopic,
        resource: { content: { course } },
        user: CLIENT_EMAIL,
        timestamp,
        target_url: target.url,
        logging_mode: 'FULL_ON_ERROR',
        max_attempts: 10,
      }),
    );
  }

  const subtopics = () => target.requests.map(({ json }) => (json as { subtopic: string }).subtopic);

  /** Once the marker has come, whatever was sent before it has come as well: a webhook's messages keep their order. */
  async function untilQuiet(): Promise<string[]> {
    const marker = await importCourse(service, { name: 'Marker' });
    await target.waitFor((requests) =>
      requests.some(({ text }) => text.includes(`"id":${marker.id},"name":"Marker"`)),
    );
    return subtopics().slice(0, -1);
  }

  it('report the import, each uploaded version, and each published version', async () => {
    const webhook = await createWebhook();
    const outer = await api.create('/folders', { name: 'Safety' });
    const inner = await api.create('/folders', { name: 'Fire', parent_id: outer.id });
    const { id } = await importCourse(service, { name: 'Fire “basics”', folder_id: String(inner.id) });
    await uploadVersion(id);
    await publish(id, 1);
    await target.waitFor(3);

    const name = 'Fire “basics”';
    const location = 'Home > Safety > Fire';
    assertMessage(0, webhook, 'COURSE_IMPORTED', {
      id,
      name,
      version_id: 0,
      learning_standard: 'SCORM_12',
      location,
    });
    for (const [index, subtopic] of [
      [1, 'COURSE_VERSION_UPLOADED'],
      [2, 'COURSE_VERSION_PUBLISHED'],
    ] as const) {
      assertMessage(index, webhook, subtopic, {
        id,
        name,
        version_id: 1,
        learning_standard: 'CMI5',
        location,
      });
    }
  });

  it('show the current course: renamed, moved, with the version concerned', async () => {
    const webhook = await createWebhook({ subtopics: ['COURSE_VERSION_PUBLISHED'] });
    const folder = await api.create('/folders', { name: 'Drafts' });
    const { id } = await importCourse(service, { folder_id: String(folder.id) });
    await uploadVersion(id);
    await publish(id, 1);
    await api.put(`/folders/${folder.id}`, { name: 'Released' });
    await api.put(`/courses/${id}`, { name: 'Renamed', folder_id: folder.id });
    await publish(id, 0);
    await target.waitFor(2);
    assertMessage(1, webhook, 'COURSE_VERSION_PUBLISHED', {
      id,
      name: 'Renamed',
      version_id: 0,
      learning_standard: 'SCORM_12',
      location: 'Home > Released',
    });
  });

  it('are not caused by publishing the published version, by renaming, moving or deleting', async () => {
    await createWebhook();
    const { id } = await importCourse(service);
    await publish(id, 0);
    const folder = await api.create('/folders', { name: 'Elsewhere' });
    await api.put(`/courses/${id}`, { name: 'Moved', folder_id: folder.id });
    assert.equal((await api.delete(`/courses/${id}`)).status, 204);
    assert.deepEqual(await untilQuiet(), ['COURSE_IMPORTED']);
  });

  it('are not caused by uploads that are refused', async () => {
    await createWebhook();
    const { id } = await importCourse(service);
    const nonsense = () => uploadForm(new TextEncoder().encode('no zip'));
    problemErrors(await api.post('/courses', nonsense()), 400);
    problemErrors(await api.post(`/courses/${id}/versions`, nonsense()), 400);
    const nowhere = uploadForm(await scormPackage(), { folder_id: '99999' });
    problemErrors(await api.post('/courses', nowhere), 400);
    problemErrors(await api.post(`/courses/${id}/versions/9/publish`), 404);
    assert.deepEqual(await untilQuiet(), ['COURSE_IMPORTED']);
  });

  it('reach a webhook with a focus on courses for these courses alone', async () => {
    const first = await importCourse(service, { name: 'Focused' });
    const other = await importCourse(service, { name: 'Other' });
    const webhook = await createWebhook({
      focus: [{ webhook_focus_type: 'COURSE', webhook_focus_id: first.id }],
    });
    const { focus, subtopics: available } = (await api.get(`/webhooks/${webhook.id}`)).body;
    assert.equal(focus[0].webhook_focus_name, 'Focused');
    assert.deepEqual(available, ['COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED']);

    await uploadVersion(other.id);
    await publish(other.id, 1);
    await uploadVersion(first.id);
    await publish(first.id, 1);
    await target.waitFor(2);
    const published = target.requests.map(({ json }) => {
      const { subtopic, resource } = json as {
        subtopic: string;
        resource: { content: { course: PublishedCourse } };
      };
      return [subtopic, resource.content.course.id];
    });
    assert.deepEqual(published, [
      ['COURSE_VERSION_UPLOADED', first.id],
      ['COURSE_VERSION_PUBLISHED', first.id],
    ]);
    const statistics = await until(async () => {
      const { body } = await api.get(`/webhooks/${webhook.id}/statistics`);
      return body.success_count === 2 && body;
    }, 'both deliveries are counted');
    assert.equal(statistics.error_count, 0);
  });
});
