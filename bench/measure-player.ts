import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { SECOND_MS } from '../src/time/units.ts';
import { ApiClient } from './api-client.ts';
import { type BenchRun, withService } from './bench-run.ts';
import { cpuShare, cpuSince } from './cpu-time.ts';
import { closedLoop, openLoop } from './load.ts';
import { type PlayerPlan, RAW_CONNECTIONS } from './plan.ts';
import { type OpenLaunch, PlayerClient, UNIT } from './player-client.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { median, quantile } from './quantile.ts';
import type { PlayerResult } from './results.ts';
import type { ServiceProcess } from './service-process.ts';
import { endProcess } from './workplace.ts';

/** The number of connections that browsers open to one host. */
const BROWSER_CONNECTIONS = 6;
const WARM_UP_OPENINGS = 8;
/** The rate at which the duration of commits is measured. */
const COMMITS_PER_SECOND_TIMED = 1_000;

type FilesResult = Pick<
  PlayerResult,
  | 'files_per_second'
  | 'static_files_per_second'
  | 'share_of_static'
  | 'share_of_static_turns'
  | 'cpu_share_of_static'
>;
type CommitsResult = Pick<PlayerResult, 'commits_per_second' | 'cpu_ms_per_commit' | 'p50_ms' | 'p99_ms'>;

/**
 * Measures file requests per second while a course is opened, as a share of a bare static server. Also measures commits
 * per second, their duration at a fixed rate, and the memory of many open launches.
 */
export async function measurePlayer(
  run: BenchRun,
  { plan, folder }: { plan: PlayerPlan; folder: PreparedFolder },
): Promise<PlayerResult> {
  const names = Array.from({ length: plan.files }, (_, n) => `page-${n}.html`);
  const files = new Map(names.map((name, n) => [name, Buffer.alloc(plan.fileBytes, `<p>${n}</p>`)]));
  return await withService(run, { scenario: 'player', folder }, async (service) => {
    await using api = new ApiClient(await service.ready(), folder);
    await api.authorize();
    const links = await register(api, plan, await zipCourse(files));
    const memoryBefore = service.memoryMib();
    await using player = new PlayerClient(RAW_CONNECTIONS);
    const launches = await openAll(player, links);
    const memory = service.memoryMib();
    run.report(`player: ${plan.launches} open launches, ${Math.round(memory ?? 0)} MiB`);
    const opened = await measureFiles(run, plan, { files, launch: launches[0]!, service });
    run.report(
      `player: ${Math.round(opened.files_per_second)} files/s, ${opened.share_of_static.toFixed(2)} of a bare static server`,
    );
    const learners = launches.slice(0, plan.learners);
    const committed = await measureCommits(run, learners, service);
    run.report(
      `player: ${Math.round(committed.commits_per_second)} commits/s of ${learners.length} learners; at ${COMMITS_PER_SECOND_TIMED}/s p99 ${committed.p99_ms.toFixed(1)} ms`,
    );
    return {
      ...opened,
      ...committed,
      learners: learners.length,
      launches: launches.length,
      memory_before_mib: memoryBefore,
      memory_mib: memory,
    };
  });
}

/** Imports the course, registers the learners, and returns their launch links. */
async function register(api: ApiClient, { launches }: PlayerPlan, zip: Buffer): Promise<string[]> {
  const { id: courseId } = (await api.importCourse(zip)) as { id: number };
  const accountId = await api.createAccountWith(courseId);
  return await together(launches, (n) => api.launchLearner(accountId, courseId, `learner-${n}@example.com`));
}

async function openAll(player: PlayerClient, links: readonly string[]): Promise<OpenLaunch[]> {
  return await together(links.length, (n) => player.open(links[n]!));
}

/** Opens the course repeatedly, from the service and from a bare server in turns. */
async function measureFiles(
  run: BenchRun,
  plan: PlayerPlan,
  {
    files,
    launch,
    service,
  }: { files: ReadonlyMap<string, Buffer>; launch: OpenLaunch; service: ServiceProcess },
): Promise<FilesResult> {
  const folder = path.join(run.workplace.folder, 'static');
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(path.join(folder, name), bytes);
  const bare = run.workplace.fork('static-process.ts', [folder]);
  const [origin] = (await once(bare, 'message')) as [string];
  try {
    await using browser = new PlayerClient(BROWSER_CONNECTIONS);
    const names = [...files.keys()];
    const open = async (base: string) => {
      const began = performance.now();
      await together(names.length, (n) => browser.file(`${base}/${names[n]}`), BROWSER_CONNECTIONS);
      return (names.length * SECOND_MS) / (performance.now() - began);
    };
    const openBoth = async (): Promise<[number, number]> => [
      await open(`${launch.base}/content`),
      await open(origin),
    ];
    for (let turn = 0; turn < WARM_UP_OPENINGS; turn++) await openBoth();
    const cpu = cpuSince(service.pid);
    const bareCpu = cpuSince(bare.pid);
    const rates: [number, number][] = [];
    for (let turn = 0; turn < plan.openings; turn++) rates.push(await openBoth());
    const shares = rates.map(([own, other]) => own / other);
    return {
      files_per_second: median(rates.map(([own]) => own)),
      static_files_per_second: median(rates.map(([, other]) => other)),
      share_of_static: median(shares),
      share_of_static_turns: shares,
      cpu_share_of_static: cpuShare(bareCpu(), cpu()),
    };
  } finally {
    await endProcess(bare, 'SIGKILL');
  }
}

/** Measures commits per second of all learners at once, and the duration of a commit at a fixed rate. */
async function measureCommits(
  run: BenchRun,
  learners: readonly OpenLaunch[],
  service: ServiceProcess,
): Promise<CommitsResult> {
  await using player = new PlayerClient(learners.length);
  const { apiWarmUpSeconds: warmUpSeconds, apiSeconds: seconds } = run.plan;
  // Commits of the same learner are sequential.
  const turns = new Map(learners.map((learner) => [learner, Promise.resolve()]));
  let commits = 0;
  const commit = (n: number) => {
    commits += 1;
    const learner = learners[n % learners.length]!;
    const done = turns.get(learner)!.then(() => player.commit(learner));
    turns.set(learner, done);
    return done;
  };
  // The first commit of a learner changes the status, which is an event.
  await together(learners.length, commit, learners.length);
  commits = 0;
  const cpuUsed = cpuSince(service.pid);
  const perSecond = await closedLoop(commit, {
    connections: learners.length,
    warmUpSeconds,
    seconds,
  });
  await Promise.all(turns.values());
  const cpu = cpuUsed();
  const cpuPerCommit = cpu === null ? null : cpu / commits;
  const took: number[] = [];
  await openLoop(
    async (n) => {
      const began = performance.now();
      await commit(n);
      took.push(performance.now() - began);
    },
    { perSecond: COMMITS_PER_SECOND_TIMED, count: Math.ceil(COMMITS_PER_SECOND_TIMED * seconds) },
  );
  return {
    commits_per_second: perSecond,
    cpu_ms_per_commit: cpuPerCommit,
    p50_ms: quantile(took, 0.5),
    p99_ms: quantile(took, 0.99),
  };
}

/** Runs `count` tasks, a few at a time, and returns their results in order. */
async function together<T>(
  count: number,
  work: (n: number) => Promise<T>,
  atATime = RAW_CONNECTIONS,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const oneAfterAnother = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: atATime }, oneAfterAnother));
  return results;
}

async function zipCourse(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  const [first] = files.keys();
  zip.addBuffer(Buffer.from(manifestOf(first ?? '')), 'imsmanifest.xml');
  for (const [name, bytes] of files) zip.addBuffer(bytes, name);
  zip.end();
  return await buffer(zip.outputStream);
}

function manifestOf(href: string): string {
  return `<?xml version="1.0"?>
<manifest identifier="bench" version="1.2" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="o"><organization identifier="o"><title>Bench</title><item identifier="${UNIT}" identifierref="r"><title>Unit</title></item></organization></organizations>
<resources><resource identifier="r" type="webcontent" adlcp:scormtype="sco" href="${href}"/></resources></manifest>`;
}
