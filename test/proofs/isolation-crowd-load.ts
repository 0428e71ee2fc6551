import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { SECOND_MS } from '../../src/time/units.ts';
import { uploadForm } from '../content/packages.ts';
import { HOSTILE_MANIFESTS } from '../course-packages/hostile-manifests.ts';
import { zipOf } from '../support/course-packages.ts';
import { followLink, type PlayerClient } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { Api } from '../support/service.ts';

/** The crowd works on a thread of its own, so that its work does not delay the measurement of arrivals. */

/** The service that the crowd uses, and the size of the crowd. */
export interface CrowdPlan {
  readonly url: string;
  readonly token: string;
  readonly learners: number;
  /** How many kinds of hostile manifests are uploaded at most. */
  readonly manifests: number;
  /** Accounts that are created before the measurement. */
  readonly writesBefore: number;
}

/** A command for the thread, which responds with the same word once it is done. */
export type CrowdCommand = 'prepare' | 'begin' | 'end';

const WRITERS_BEFORE = 10;
const UNIT = 'i1';

const { url, token, learners: size, manifests, writesBefore } = workerData as CrowdPlan;
const api = new Api(url, token);
const end = new AbortController();
let learners: PlayerClient[] = [];
let hostile: FormData[] = [];
let work: Promise<unknown> = Promise.resolve();

const commands: Readonly<Record<CrowdCommand, () => Promise<unknown>>> = {
  async prepare() {
    learners = await makeLearners();
    hostile = await hostileForms();
    await workOnce();
  },
  async begin() {
    work = Promise.all([writeWithoutPause(), uploadHostile(), commitEachSecond()]);
    // A failure is reported at the end.
    work.catch(() => end.abort());
  },
  async end() {
    end.abort();
    await work;
  },
};

parentPort!.on('message', async (command: CrowdCommand) => {
  await commands[command]();
  parentPort!.postMessage(command);
});

/** Every kind of work, so that the service has done all of it before a measurement. */
async function workOnce(): Promise<void> {
  let written = 0;
  const write = async () => {
    while (written < writesBefore) await api.create('/accounts', { name: `warm ${written++}` });
  };
  await Promise.all(Array.from({ length: WRITERS_BEFORE }, write));
  for (const form of hostile) await api.post('/courses', form);
  await Promise.all(learners.map((learner) => commit(learner, 0)));
}

async function makeLearners(): Promise<PlayerClient[]> {
  const { id: account_id } = await api.create('/accounts', { name: 'Northwind' });
  const zip = new Uint8Array(await zipOf(scorm12Course()));
  const { id: course_id } = await api.create('/courses', uploadForm(zip));
  const contents = [{ type: 'COURSE', id: course_id }];
  const { status, body } = await api.post(`/accounts/${account_id}/content`, { contents });
  assert.equal(status, 200, JSON.stringify(body));
  const made: PlayerClient[] = [];
  for (let n = 0; n < size; n++) {
    const { registration_id } = await api.create('/registrations', {
      account_id,
      course_id,
      learner_id: `learner-${n}`,
    });
    const launched = await api.post(`/registrations/${registration_id}/launch`);
    const learner = await followLink(launched.body.launch_url);
    await learner.open();
    await learner.openUnit(UNIT);
    made.push(learner);
  }
  return made;
}

async function hostileForms(): Promise<FormData[]> {
  return await Promise.all(
    Object.values(HOSTILE_MANIFESTS)
      .slice(0, manifests)
      .map(async (files) => uploadForm(new Uint8Array(await zipOf(files())))),
  );
}

async function writeWithoutPause(): Promise<void> {
  for (let n = 0; !end.signal.aborted; n++) await api.create('/accounts', { name: `written ${n}` });
}

async function uploadHostile(): Promise<void> {
  for (let n = 0; !end.signal.aborted; n++) {
    const { status } = await api.post('/courses', hostile[n % hostile.length]!);
    assert.ok(status === 201 || (status >= 400 && status < 500) || status === 503, `status ${status}`);
  }
}

async function commitEachSecond(): Promise<void> {
  for (let round = 1; !end.signal.aborted; round++) {
    const next = delay(SECOND_MS);
    // Spread over the second, as people are.
    await Promise.all(
      learners.map(async (learner, n) => {
        await delay((n * SECOND_MS) / learners.length);
        if (!end.signal.aborted) await commit(learner, round);
      }),
    );
    await next;
  }
}

async function commit(learner: PlayerClient, round: number): Promise<void> {
  const { status } = await learner.commit(UNIT, {
    core: { lesson_status: 'incomplete', lesson_location: String(round) },
    suspend_data: 'kept '.repeat(100),
  });
  assert.equal(status, 200);
}
