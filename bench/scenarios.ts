import { rmSync } from 'node:fs';
import path from 'node:path';
import type { BenchRun } from './bench-run.ts';
import { measureDeliveries } from './measure-deliveries.ts';
import { measureEvents, timingOf } from './measure-events.ts';
import { measurePlayer } from './measure-player.ts';
import { measureStart } from './measure-start.ts';
import { measureTokens } from './measure-tokens.ts';
import { type DeliveriesPlan, SCENARIO_NAMES, type ScenarioName, type ScenarioPlan } from './plan.ts';
import { type PreparedFolder, prepareFolder } from './prepared-folder.ts';
import type { Measured } from './results.ts';

/** The number of webhooks with waiting messages in scenarios that deliver none of them. */
const BLOCKED_WEBHOOKS = 100;

/** Runs the given scenarios that are in the plan. */
export async function runScenarios(
  run: BenchRun,
  only: readonly ScenarioName[],
): Promise<Omit<Measured, 'peak_memory_mib'>> {
  const measured: Omit<Measured, 'peak_memory_mib'> = {
    deliveries: {},
    events: {},
    tokens: null,
    player: null,
    start: null,
    first_load: null,
  };
  for (const name of SCENARIO_NAMES) {
    const plan = run.plan.scenarios[name];
    if (plan === undefined || !only.includes(name)) continue;
    await runScenario(run, { name, plan, measured });
  }
  return measured;
}

async function runScenario(
  run: BenchRun,
  {
    name,
    plan,
    measured,
  }: {
    name: ScenarioName;
    plan: ScenarioPlan;
    measured: Omit<Measured, 'peak_memory_mib'>;
  },
): Promise<void> {
  const folderPath = path.join(run.workplace.folder, name);
  const basePath = path.join(run.workplace.folder, `${name}-base`);
  const { events, deliveries } = plan;
  const targetUrl = run.sink.url;
  let folder: PreparedFolder | null = null;
  const prepare = async () => {
    run.report(`${name}: making a data folder`);
    rmSync(folderPath, { recursive: true, force: true });
    return await prepareFolder(folderPath, {
      targetUrl,
      lines: deliveries?.webhooks ?? (plan.player === undefined ? BLOCKED_WEBHOOKS : 1),
      isSigned: deliveries?.isSigned ?? false,
      otherWebhooks: deliveries?.otherWebhooks ?? events?.otherWebhooks ?? 0,
      timing: events === undefined ? null : timingOf(run),
      databaseUrl: await run.database.create(),
    });
  };
  try {
    if (events !== undefined) {
      folder = await prepare();
      if (events.waiting > 0)
        await run.database.fill(folder, { messages: events.waiting, state: 'blocked', targetUrl });
      measured.events[name] = await measureEvents(run, { scenario: name, plan: events, folder });
    }
    if (deliveries !== undefined) {
      // The backlog of the events is delivered now, because a million messages are created only once.
      if (folder !== null && events !== undefined && events.waiting === deliveries.messages) {
        await run.database.setLines(folder, 'due');
      } else {
        folder = await prepare();
        await run.database.fill(folder, { messages: deliveries.messages, state: 'due', targetUrl });
      }
      const base = deliveries.hasBase ? await prepareBase(run, basePath, deliveries) : null;
      measured.deliveries[name] = await measureDeliveries(run, {
        scenario: name,
        plan: deliveries,
        folder,
        base,
      });
    }
    if (plan.player !== undefined) {
      measured.player = await measurePlayer(run, { plan: plan.player, folder: await prepare() });
    }
    if (name === 'tokens') measured.tokens = await measureTokens(run, await prepare());
    if (plan.start !== undefined)
      measured.start = await measureStart(run, { plan: plan.start, folder: await prepare() });
    if (name === 'first_load') {
      // Its browser takes half a second to load.
      const { measureFirstLoad } = await import('./measure-first-load.ts');
      measured.first_load = await measureFirstLoad(run, await prepare());
    }
  } finally {
    rmSync(folderPath, { recursive: true, force: true });
    rmSync(basePath, { recursive: true, force: true });
  }
}

/** Only the measured webhooks with the measured messages. */
async function prepareBase(
  run: BenchRun,
  folderPath: string,
  { webhooks, measured }: DeliveriesPlan,
): Promise<PreparedFolder> {
  const targetUrl = run.sink.urlOf('base');
  rmSync(folderPath, { recursive: true, force: true });
  const folder = await prepareFolder(folderPath, {
    targetUrl,
    lines: webhooks,
    isSigned: false,
    otherWebhooks: 0,
    timing: null,
    databaseUrl: await run.database.create(),
  });
  await run.database.fill(folder, { messages: measured, state: 'due', targetUrl });
  return folder;
}
