import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { planConnections } from '../connection-plan.ts';
import type { Content } from '../content/content.ts';
import type { OpenLaunch, StartedLaunch } from '../content/registrations/launch.ts';
import type { Learning } from '../content/registrations/registration-routes.ts';
import type { Reader } from '../database/database.ts';
import type { CleaningStep } from '../housekeeping/cleaner.ts';
import { listen } from '../http/listen.ts';
import type { Routes } from '../http/routes.ts';
import { ProblemError } from '../problems/problem.ts';
import type { ServiceContext } from '../service-context.ts';
import { contentBaseUrlOf, contentPortOf } from '../settings/base-url.ts';
import type { Settings } from '../settings/settings-table.ts';
import { SECOND_MS } from '../time/units.ts';
import { aiccRuntime } from './aicc/aicc-runtime.ts';
import { AttemptService } from './attempts/attempt-service.ts';
import { ChangePace } from './attempts/change-pace.ts';
import { cmi5Rules } from './cmi5/cmi5-rules.ts';
import { cmi5Runtime } from './cmi5/cmi5-runtime.ts';
import { unitErrors, waiveUnit } from './cmi5/cmi5-waiving.ts';
import { contentFileRoutes } from './content-origin/content-files.ts';
import { contentOriginRisks } from './content-origin/content-origin-risks.ts';
import { createContentServer } from './content-origin/content-server.ts';
import { type CourseRuntime, runtimeOf } from './course-runtime.ts';
import { ContentAddress } from './launches/content-address.ts';
import { ContentTokens } from './launches/content-tokens.ts';
import { LaunchService } from './launches/launch-service.ts';
import { previewRoutes, type StartPreview } from './launches/preview-routes.ts';
import { learningRoutes } from './learning/learning-routes.ts';
import { unitRecordsOf } from './learning/unit-records.ts';
import type { LearningRecords } from './lrs/learning-records.ts';
import { lrsRoutes } from './lrs/lrs-routes.ts';
import { PlayerCourses } from './player-courses.ts';
import { playerPageRoutes } from './player-page.ts';
import { playerRoutes } from './player-routes.ts';
import { scormRuntime } from './scorm/scorm-runtime.ts';
import { SessionScopes } from './sessions/session-scopes.ts';
import { xapiRules } from './xapi/xapi-rules.ts';
import { xapiRuntime } from './xapi/xapi-runtime.ts';

/** The player, as the rest of the service uses it. */
export interface Player {
  /** Serves the content origin. */
  server: FastifyInstance;
  /** Remove what has expired. */
  cleaningSteps: readonly CleaningStep[];
  learning: Learning;
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
  /** Starts to serve the content origin. Returns the URL at which learners' browsers reach it, and the port. */
  listen(): Promise<{ url: string; port: number }>;
  /** The security risks of the content origin's URL, one sentence each; empty before {@link Player.listen}. */
  contentOriginRisks(): readonly string[];
  /** Starts a launch. */
  play(launch: OpenLaunch): Promise<StartedLaunch>;
}

/** Assembles the player. A standard is played by the runtime that lists it. */
export async function createPlayer(
  context: ServiceContext,
  { registrations, store }: Pick<Content, 'registrations' | 'store'>,
  { lrs }: LearningRecords,
): Promise<Player> {
  const { settings, storage, logs, now, baseUrl } = context;
  const { reader } = storage.database;
  const log = logs.for('Player');
  let port = contentPortOf(settings);
  let risks: readonly string[] = [];
  const parts = createParts(context, {
    registrations,
    lrs,
    contentUrl: () => contentBaseUrlOf(settings, port),
  });
  const { attempts, courses, launches, scopes } = parts;
  const server = await createServer(context, parts, { store, lrs, port });
  return {
    server,
    cleaningSteps: [
      { name: 'launches', run: (limit) => launches.forgetExpired(limit) },
      {
        name: 'profiles of learners without registrations',
        isUntimed: true,
        run: (limit) => lrs.documents.forgetLearners(limit),
      },
    ],
    learning: {
      unitsOf: (registration) => unitRecordsOf(registration, { attempts, courses, reader }),
      isOpened: (tx, registrationId) => attempts.isUnderway(tx, registrationId),
    },
    addRoutes(routes) {
      learningRoutes(routes, {
        registrations,
        attempts,
        statements: lrs.stored,
        unitErrors: (registration, unitId) => unitErrors({ courses, reader }, registration, unitId),
        waive: (waiver) => waiveUnit({ attempts, courses, lrs, scopes, baseUrl, now }, waiver),
      });
      previewRoutes(routes, (preview) => startPreview(parts, reader, preview));
    },
    async listen() {
      port = await listenOnContentPort(server, settings, port);
      const url = contentBaseUrlOf(settings, port);
      risks = contentOriginRisks(settings, url);
      for (const text of risks) log.warn(text);
      return { url, port };
    },
    contentOriginRisks: () => risks,
    async play(launch) {
      if (runtimeOf(parts.runtimes, launch.learningStandard) === undefined) return { state: 'unplayable' };
      const url = await launches.start(launch);
      return url === null ? { state: 'deleted' } : { state: 'started', url };
    },
  };
}

interface PlayerParts {
  pace: ChangePace;
  attempts: AttemptService;
  courses: PlayerCourses;
  launches: LaunchService;
  scopes: SessionScopes;
  runtimes: readonly CourseRuntime[];
}

function createParts(
  { settings, storage, logs, now, baseUrl }: ServiceContext,
  {
    registrations,
    lrs,
    contentUrl,
  }: { registrations: Content['registrations']; lrs: LearningRecords['lrs']; contentUrl: () => string },
): PlayerParts {
  const { database, authSecrets } = storage;
  const { reader } = database;
  const courses = new PlayerCourses(now);
  const pace = new ChangePace();
  const attempts = new AttemptService({ registrations, courses, reader, pace, now });
  const launches = new LaunchService({
    database,
    tokens: new ContentTokens(authSecrets),
    address: new ContentAddress(contentUrl),
    lifetimeMs: settings.launch_lifetime * SECOND_MS,
    now,
  });
  const scopes = new SessionScopes({
    database,
    lrs,
    attempts,
    courses,
    launches,
    rules: new Map([
      ['CMI5', cmi5Rules],
      ['XAPI', xapiRules],
    ]),
    baseUrl,
    now,
    log: logs.for('Player'),
  });
  const runtimes: CourseRuntime[] = [
    scormRuntime({ attempts, courses, reader }),
    cmi5Runtime({ database, attempts, lrs, scopes, baseUrl, now }),
    aiccRuntime({ database, attempts, courses, baseUrl, now }),
    xapiRuntime({ database, attempts, baseUrl, now }),
  ];
  return { pace, attempts, courses, launches, scopes, runtimes };
}

/** Creates the server of the content origin: files, the player page, and what pages and courses call. */
async function createServer(
  { settings, storage, logs, tracing, now }: ServiceContext,
  { pace, attempts, courses, launches, scopes, runtimes }: PlayerParts,
  { store, lrs, port }: { store: Content['store']; lrs: LearningRecords['lrs']; port: number },
): Promise<FastifyInstance> {
  const { reader } = storage.database;
  const server = await createContentServer({
    launches,
    trustedProxies: settings.trusted_proxies,
    maxConnections: planConnections(settings).limit,
    strictTransport: contentBaseUrlOf(settings, port).startsWith('https:'),
    tracing,
    log: logs.for('Player'),
    fileRoutes: [(scope) => contentFileRoutes(scope, { store, now }), playerPageRoutes],
    routes: [
      (scope) => playerRoutes(scope, { attempts, courses, launches, runtimes, reader }),
      (scope) =>
        lrsRoutes(scope, {
          lrs,
          path: '/xapi',
          turns: null,
          scopeOf: (...asked) => scopes.scopeOf(...asked),
        }),
      ...runtimes.flatMap(({ routes }) => routes ?? []),
    ],
  });
  server.addHook('preClose', async () => pace.stop());
  return server;
}

/** Starts to listen, and returns the port. */
async function listenOnContentPort(
  server: FastifyInstance,
  { host, content_port: chosen }: Settings,
  port: number,
): Promise<number> {
  await listen(server, {
    host,
    port,
    portSetting: 'content_port',
    ...(chosen === null ? { portNote: 'it is not set, so it is the port after port' } : {}),
  });
  return (server.server.address() as AddressInfo).port;
}

/** @throws {ProblemError} `conflict` if the standard of the course cannot be played yet */
async function startPreview(
  parts: PlayerParts,
  reader: Reader,
  { courseId, versionId, user }: Parameters<StartPreview>[0],
): ReturnType<StartPreview> {
  const { learningStandard } = await parts.courses.read(reader, courseId, versionId);
  if (runtimeOf(parts.runtimes, learningStandard) === undefined) {
    throw new ProblemError('conflict', `Courses of the standard ${learningStandard} cannot be played yet`);
  }
  const preview = { registrationId: null, learnerId: user, mode: 'preview', returnUrl: null } as const;
  return await parts.launches.startPreview({ courseId, versionId, language: null, ...preview });
}
