import type { BenchDatabase } from './bench-database.ts';
import type { BenchQueue } from './bench-queue.ts';
import type { Plan, ScenarioName } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { ServiceProcess } from './service-process.ts';
import type { Sink } from './sink.ts';
import type { Workplace } from './workplace.ts';

/** The context that all measurements of a run share. */
export interface BenchRun {
  plan: Plan;
  workplace: Workplace;
  sink: Sink;
  database: BenchDatabase;
  queue: BenchQueue;
  /** The folder in which each service process writes a CPU profile; null for none. */
  profileFolder: string | null;
  /** Reports progress to the operator. */
  report(what: string): void;
  /** Called with the peak memory of each service process before it ends. */
  noteMemory(scenario: ScenarioName, mib: number | null): void;
}

/** Runs the service on a data folder while `work` lasts. */
export async function withService<T>(
  run: BenchRun,
  { scenario, folder }: { scenario: ScenarioName; folder: PreparedFolder },
  work: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  await using service = ServiceProcess.start(run.workplace, {
    dataFolder: folder.path,
    databaseUrl: folder.databaseUrl,
    queue: await run.queue.environmentFor(folder),
    profileFolder: run.profileFolder,
  });
  const result = await work(service);
  run.noteMemory(scenario, service.peakMemoryMib());
  return result;
}
