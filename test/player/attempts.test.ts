import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { uploadForm } from '../content/packages.ts';
import { zipOf } from '../support/course-packages.ts';
import { followLink, startLaunch } from '../support/player-client.ts';
import { lessons, scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';

const passed = (raw: number) => ({
  core: { lesson_status: 'passed', score: { raw }, session_time: '00:02:00' },
});
describe('attempts', () => {
  let service: TestService;
  let target: Target;
  before(async () => {
    service = await startTestService();
    target = await startTarget();
    await service.api.create('/webhooks', { name: 'Results', topic: 'REGISTRATION', target_url: target.url });
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  /** The messages about a registration that webhooks received, once there are this many. */
  async function messagesAbout(registrationId: string, count: number): Promise<unknown[]> {
    const heard = () =>
      target.requests
        .map(
          ({ json }) =>
            json as { subtopic: string; user: string; resource: { registration: Record<string, unknown> } },
        )
        .filter(({ resource }) => resource.registration.registration_id === registrationId)
        .map(({ subtopic, user, resource: { registration } }) =>
          subtopic === 'REGISTRATION_LAUNCHED'
            ? [subtopic, user]
            : [subtopic, user, registration.completion, registration.success, registration.score],
        );
    await until(() => heard().length >= count, `${count} events of the registration`);
    return heard();
  }

  it('cause one event for each change, and none for a commit that changes nothing', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    for (let time = 0; time < 20; time++) {
      const { body } = await client.commit('i1', { core: { lesson_status: 'incomplete' } });
      assert.deepEqual(body, { outcome: 'recorded' });
    }
    await client.commit('i1', passed(90), { terminated: true });
    await client.commit('i1', passed(90), { terminated: true });
    assert.deepEqual(await messagesAbout(registrationId, 3), [
      ['REGISTRATION_LAUNCHED', 'ann@example.com'],
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Incomplete', 'UNKNOWN', null],
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 90],
    ]);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.equal(body.duration, 120);
    assert.equal(body.attempt, 1);
    assert.equal(typeof body.units[0].completion_dt, 'string');
    assert.deepEqual(
      body.units.map(({ unit_id, title, completion, success, score, duration }: Record<string, unknown>) => ({
        unit_id,
        title,
        completion,
        success,
        score,
        duration,
      })),
      [
        {
          unit_id: 'i1',
          title: 'Lesson 1',
          completion: 'Completed',
          success: 'PASS',
          score: 90,
          duration: 120,
        },
      ],
    );
  });

  it('are not corrupted by late, repeated or reordered commits', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    const early = client.commitOf('i1', { core: { lesson_location: 'early' } });
    const late = client.commitOf('i1', { core: { lesson_location: 'late' } });
    assert.deepEqual((await client.post('commit', late)).body, { outcome: 'recorded' });
    for (const commit of [early, late, late]) {
      assert.deepEqual(await client.post('commit', commit), { status: 200, body: { outcome: 'stale' } });
    }
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    assert.deepEqual(body.attempts[0].units[0].data.cmi, { core: { lesson_location: 'late' } });
  });

  it('reject data of an older launch once a newer one is open, but not once only its link exists', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const older = await startLaunch(service, registrationId);
    await older.open();
    await older.openUnit('i1');
    const newer = await startLaunch(service, registrationId);
    assert.equal((await older.commit('i1', { core: {} })).status, 200);
    await newer.open();
    assert.deepEqual(await older.commit('i1', passed(50)), { status: 409, body: { outcome: 'superseded' } });
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.notEqual(body.success, 'PASS');
  });

  it('return bookmark and suspend data exactly as the course left them, white space included', async () => {
    const left = ' \n page 7\t ';
    for (const [course, cmi] of [
      [scorm12Course(), { suspend_data: left, core: { lesson_location: left, exit: 'suspend' } }],
      [scorm2004Course(), { suspend_data: left, location: left, exit: 'suspend' }],
    ] as const) {
      const { registrationId } = await registerTo(service, course);
      const client = await startLaunch(service, registrationId);
      await client.open();
      await client.openUnit('i1');
      assert.equal((await client.commit('i1', cmi, { terminated: true })).status, 200);
      const again = await startLaunch(service, registrationId);
      await again.open();
      const found = (await again.openUnit('i1')).data.cmi;
      assert.deepEqual([found.suspend_data, found.location ?? found.core.lesson_location], [left, left]);
    }
  });

  for (const [standard, course, statusOf] of [
    [
      'SCORM 1.2',
      scorm12Course(),
      (status: string, raw?: number) => ({ core: { lesson_status: status, score: { raw } } }),
    ],
    [
      'SCORM 2004',
      scorm2004Course(),
      (status: string, raw?: number) => ({
        completion_status: 'completed',
        ...(raw === undefined ? {} : { success_status: status, score: { raw } }),
      }),
    ],
  ] as const) {
    it(`continue a unit of ${standard} that was interrupted after it was completed, and review one that ended`, async () => {
      const { registrationId } = await registerTo(service, course);
      const open = async () => {
        const client = await startLaunch(service, registrationId);
        await client.open();
        const { isReview, data } = await client.openUnit('i1');
        const { entry, credit, lesson_mode, mode } = data.cmi.core ?? data.cmi;
        return { client, found: [isReview, entry, lesson_mode ?? mode, credit] };
      };
      const first = await open();
      await first.client.commit('i1', statusOf('completed'));
      const second = await open();
      assert.deepEqual(second.found, [false, 'resume', 'normal', 'credit']);
      await second.client.commit('i1', statusOf('passed', 90), { terminated: true });
      const { success, score } = (await service.api.get(`/registrations/${registrationId}`)).body;
      assert.deepEqual([success, score], ['PASS', 90]);
      assert.deepEqual((await open()).found, [true, '', 'review', 'no-credit']);
    });
  }

  it('require full progress of a SCORM 2004 unit whose manifest omits the minimum', async () => {
    const items =
      '<item identifier="i1" identifierref="r1"><title>Lesson 1</title>' +
      '<adlcp:completionThreshold completedByMeasure="true"/></item>';
    const { registrationId } = await registerTo(service, scorm2004Course({ items }));
    const client = await startLaunch(service, registrationId);
    await client.open();
    assert.equal((await client.openUnit('i1')).data.cmi.completion_threshold, '1');
    const completionAfter = async (cmi: object) => {
      await client.commit('i1', { exit: 'suspend', ...cmi }, { terminated: true });
      return (await service.api.get(`/registrations/${registrationId}`)).body.completion;
    };
    const partly = { completion_status: 'completed', progress_measure: '0.4' };
    assert.equal(await completionAfter(partly), 'Incomplete');
    assert.equal(await completionAfter({ completion_status: 'unknown', progress_measure: '1' }), 'Completed');
  });

  it('are completed when all units are, with the mean of their scores', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    const client = await startLaunch(service, registrationId);
    await client.open();
    for (const [unit, raw] of [
      ['i1', 70],
      ['i2', 81],
    ] as const) {
      await client.openUnit(unit);
      await client.commit(unit, passed(raw));
    }
    assert.deepEqual((await messagesAbout(registrationId, 3)).slice(1), [
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Incomplete', 'UNKNOWN', 70],
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 75.5],
    ]);
  });

  it('keep the score of a pass while the learner tries again and fails', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const first = await startLaunch(service, registrationId);
    await first.open();
    await first.openUnit('i1');
    const suspended = { lesson_status: 'passed', score: { raw: 90 }, exit: 'suspend' };
    await first.commit('i1', { core: suspended }, { terminated: true });
    const second = await startLaunch(service, registrationId);
    await second.open();
    await second.openUnit('i1');
    for (const [lesson_status, raw] of [
      ['incomplete', 0],
      ['incomplete', 95],
      ['failed', 20],
    ] as const) {
      const { body } = await second.commit('i1', { core: { lesson_status, score: { raw } } });
      assert.deepEqual(body, { outcome: 'recorded' });
    }
    await second.commit('i1', passed(85));
    assert.deepEqual((await messagesAbout(registrationId, 3)).slice(1), [
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 90],
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 85],
    ]);
  });

  it('give a pass that was reported without a score the score that follows', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    await client.commit('i1', { core: { lesson_status: 'passed' } });
    await client.commit('i1', { core: { lesson_status: 'incomplete', score: { raw: 70.5 } } });
    const { success, score } = (await service.api.get(`/registrations/${registrationId}`)).body;
    assert.deepEqual([success, score], ['PASS', 70.5]);
  });

  it('give no interim score to a result that was credited without one, but that of a pass', async () => {
    for (const credited of [
      { completion: 'Completed', success: 'PASS' },
      { completion: 'Completed', success: 'UNKNOWN' },
    ]) {
      const { registrationId } = await registerTo(service, scorm12Course());
      const client = await startLaunch(service, registrationId);
      await client.open();
      await client.openUnit('i1');
      await service.api.put(`/registrations/${registrationId}/status`, credited);
      await client.commit('i1', { core: { lesson_status: 'incomplete', score: { raw: 40 } } });
      await client.commit('i1', passed(85));
      assert.deepEqual(
        (await messagesAbout(registrationId, 3)).slice(1).map((event) => (event as unknown[]).slice(2)),
        [
          ['Completed', credited.success, null],
          ['Completed', 'PASS', 85],
        ],
      );
    }
  });

  it('start over after a reset with the version published then, and remain readable', async () => {
    const { registrationId, courseId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    await client.commit('i1', passed(90));
    const next = await zipOf(scorm12Course({ title: 'Fire safety, revised' }));
    const { version_id } = await service.api.create(
      `/courses/${courseId}/versions`,
      uploadForm(new Uint8Array(next)),
    );
    await service.api.post(`/courses/${courseId}/versions/${version_id}/publish`);
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.version_id, 0);

    const reset = await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal(reset.status, 200, JSON.stringify(reset.body));
    const { completion, success, score, duration, completion_dt, version_id: version } = reset.body;
    assert.deepEqual(
      { completion, success, score, duration, completion_dt, version },
      {
        completion: 'Unknown',
        success: 'UNKNOWN',
        score: null,
        duration: 0,
        completion_dt: null,
        version: 1,
      },
    );
    assert.deepEqual(await client.commit('i1', passed(80)), { status: 409, body: { outcome: 'reset' } });
    const opened = await client.post('open');
    assert.deepEqual([opened.status, opened.body.reason], [410, 'outdated']);

    const again = await startLaunch(service, registrationId);
    await again.open();
    assert.equal((await again.openUnit('i1')).data.cmi.core.entry, 'ab-initio');
    await again.commit('i1', passed(85));
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    assert.deepEqual(
      body.attempts.map(
        (each: { attempt: number; version_id: number; ended_dt: unknown; units: { score: number }[] }) => [
          each.attempt,
          each.version_id,
          each.ended_dt !== null,
          each.units.map((unit) => unit.score),
        ],
      ),
      [
        [1, 0, true, [90]],
        [2, 1, false, [85]],
      ],
    );
    assert.deepEqual((await messagesAbout(registrationId, 4)).slice(1), [
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 90],
      ['REGISTRATION_STATUS_UPDATED', 'integration@example.com', 'Unknown', 'UNKNOWN', null],
      ['REGISTRATION_STATUS_UPDATED', 'ann@example.com', 'Completed', 'PASS', 85],
    ]);
  });

  it('return to the address of the launch call, and nowhere else', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const path = `/registrations/${registrationId}/launch`;
    for (const return_url of [
      'https://portal.example/done?a=1',
      'http://127.0.0.1:9000/x',
      'http://localhost/',
    ]) {
      const { status, body } = await service.api.post(path, { return_url });
      assert.equal(status, 200, JSON.stringify(body));
      const client = await followLink(body.launch_url);
      assert.equal((await client.open()).returnUrl, return_url);
    }
    for (const return_url of [
      'http://portal.example/',
      'javascript:alert(1)',
      '//portal.example',
      'https://k:s@a.example/',
      '',
      // 300 characters, but 1,800 when percent-encoded: browsers and proxies refuse very long links.
      `https://portal.example/${'ü'.repeat(300)}`,
    ]) {
      const { status, body } = await service.api.post(path, { return_url });
      assert.equal(status, 400, return_url);
      assert.equal(body.errors[0].pointer, '/return_url');
    }
  });

  it('ignore members of a later release, whose page may talk to this instance during an upgrade', async () => {
    const items = `${lessons(2)}<item identifier="a" identifierref="a1"><title>Reading</title></item>`;
    const { registrationId } = await registerTo(service, scorm2004Course({ items }));
    const client = await startLaunch(service, registrationId);
    await client.open();
    const later = { isOfLaterRelease: true, more: { members: [1] } };
    assert.equal((await client.post('unit', { unit: 'i1', ...later })).status, 200);
    const commit = await client.commit('i1', { completion_status: 'completed', location: 'p2' }, later);
    assert.deepEqual(commit, { status: 200, body: { outcome: 'recorded' } });
    const { elapsedMs, terminated, cmi, ...asset } = client.commitOf('a', {}, later);
    assert.deepEqual(await client.post('asset', asset), { status: 200, body: { outcome: 'recorded' } });
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const units = body.attempts[0].units.map(({ unit_id, completion, data }: Record<string, unknown>) => [
      unit_id,
      completion,
      data,
    ]);
    const stored = { cmi: { completion_status: 'completed', location: 'p2' }, terminated: false };
    assert.deepEqual(units, [
      ['i1', 'Completed', stored],
      ['a', 'Completed', null],
    ]);
  });

  it('name the invalid members of a commit', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    const { status, body } = await client.commit('i1', {}, { sequence: -1, terminated: 'yes', more: 1 });
    assert.equal(status, 400);
    const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const pointer of ['/sequence', '/terminated'])
      assert.ok(pointers.includes(pointer), pointers.join());
    assert.equal((await client.commit('i9', {})).status, 404);
  });
});
