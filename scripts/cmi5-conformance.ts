import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { uploadForm } from '../test/content/packages.ts';
import { give, register } from '../test/content/registration-helpers.ts';
import { Player } from '../test/player/learner-helpers.ts';
import { basic } from '../test/support/basic.ts';
import { startTestService, type TestService, temporaryFolder } from '../test/support/service.ts';
import { BROWSER_VARIABLE, unpackChromium } from '../test/ui/support/chromium.ts';

/**
 * Runs the LMS tests of CATAPULT (cmi5) against a service that is started for them, in the browser of the UI tests. The
 * tests come from a checkout of adlnet/CATAPULT, with its folder `lts` prepared as its README describes.
 */

const USAGE = `Usage: node scripts/cmi5-conformance.ts FOLDER [package|runtime]

Runs the tests of FOLDER, the folder lts of a checkout of https://github.com/adlnet/CATAPULT in which
"npm ci --ignore-scripts" and, in pkg, "NODE_OPTIONS=--openssl-legacy-provider npx webpack" have run.
`;

/** The latest launch, so that it can be repeated. */
const launched = new Map<string, { registrationId: string; unitId: string }>();
/** The accounts that have the courses, by course. */
const accounts = new Map<number, number>();

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, part] = positionals;
if (folder === undefined || !existsSync(path.join(folder, 'pkg/dist/001-essentials.zip'))) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await run(path.resolve(folder), part);
}

/** Returns the exit status of the tests. */
async function run(suite: string, tests: string | undefined): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService());
  const bridge = createServer(async (request, response) => {
    const answer = await answerTo(service, request.url ?? '', await buffer(request)).catch(
      (error: unknown) => ({
        error: String(error),
      }),
    );
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  stack.defer(() => void bridge.close());
  await once(bridge, 'listening');
  const config = path.join(stack.use(temporaryFolder()).path, 'jest-puppeteer.config.js');
  writeFileSync(config, `module.exports = ${JSON.stringify({ launch: browserOf() })};`);
  const jest = spawn(
    'npx',
    ['jest', '--runInBand', '--testTimeout', '60000', ...(tests === undefined ? [] : [tests])],
    {
      cwd: suite,
      stdio: 'inherit',
      env: {
        ...process.env,
        CATAPULT_LMS: path.join(import.meta.dirname, 'cmi5-conformance-lms.cjs'),
        JEST_PUPPETEER_CONFIG: config,
        COURSEWIRE_SUITE: suite,
        COURSEWIRE_BRIDGE: `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`,
        COURSEWIRE_LRS: `${service.url}/xapi`,
        COURSEWIRE_LRS_AUTHORIZATION: basic(service.clientId, service.clientSecret),
      },
    },
  );
  const [code] = await once(jest, 'exit');
  return code ?? 1;
}

/** How the tests start the browser. */
function browserOf(): object {
  const named = process.env[BROWSER_VARIABLE];
  const folder = named === undefined ? unpackChromium() : null;
  return {
    executablePath: named ?? path.join(folder ?? '', 'chromium'),
    args: ['--no-sandbox', '--disable-gpu'],
    ...(folder === null ? {} : { env: { ...process.env, ...environmentOf(folder) } }),
  };
}

function environmentOf(folder: string): Record<string, string> {
  return {
    FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
    XDG_CACHE_HOME: path.join(folder, 'cache'),
  };
}

/** Performs a request from one of the functions of the tests. */
async function answerTo(service: TestService, url: string, body: Buffer): Promise<object> {
  const { pathname, searchParams } = new URL(url, 'http://bridge');
  if (pathname === '/import') return await importCourse(service, searchParams.get('name') ?? '', body);
  const asked = JSON.parse(body.toString());
  if (pathname === '/launch') return { value: await launchUnit(service, asked) };
  if (pathname === '/waive') return { value: await waiveUnit(service, asked) };
  for (const { registrationId, unitId } of launched.values()) await openUnit(service, registrationId, unitId);
  return { value: null };
}

async function importCourse(service: TestService, name: string, body: Buffer): Promise<object> {
  const form = uploadForm(new Uint8Array(body));
  const answer = await service.api.post('/courses', form);
  if (answer.status !== 201) return { invalid: `${name}: ${JSON.stringify(answer.body)}` };
  const { id: accountId } = await service.api.create('/accounts', { name });
  await give(service, accountId, 'COURSE', answer.body.id);
  accounts.set(answer.body.id, accountId);
  return { value: answer.body.id };
}

async function launchUnit(
  service: TestService,
  asked: LearnerOfCourse & { unit: number; launchMode?: string },
): Promise<string> {
  const registrationId = await registrationOf(service, asked);
  const mode = asked.launchMode?.toLowerCase() ?? 'normal';
  const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
  const player = await Player.follow(body.launch_url);
  const { units } = await player.post('/units');
  const unitId = units[asked.unit].id;
  launched.clear();
  launched.set(registrationId, { registrationId, unitId });
  return (await player.openUnit(unitId)).href;
}

/** Waives a unit, given its index in the course, from 0. */
async function waiveUnit(
  service: TestService,
  { registrationId, unit, reason }: { registrationId: string; unit: number; reason: string },
): Promise<null> {
  const { units } = (await service.api.get(`/registrations/${registrationId}`)).body;
  const waiver = { unit_id: units[unit].unit_id, reason };
  const { status, body } = await service.api.post(`/registrations/${registrationId}/waive`, waiver);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return null;
}

/** The registration to launch: the given one, or a new one. */
interface LearnerOfCourse {
  courseId: number;
  actor: { account: { name: string } };
  registration?: string;
}

async function registrationOf(
  service: TestService,
  { courseId, actor, registration }: LearnerOfCourse,
): Promise<string> {
  if (registration !== undefined) return registration;
  const parties = { account_id: accounts.get(courseId)!, course_id: courseId };
  return (await register(service, parties, actor.account.name)).registration_id;
}

/** A new session of a unit ends the previous one. */
async function openUnit(service: TestService, registrationId: string, unitId: string): Promise<void> {
  await (await Player.open(service, registrationId)).openUnit(unitId);
}
