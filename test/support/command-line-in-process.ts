import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { type Outcome, outcomeOf } from './command-in-process.ts';
import { databaseSetting, environment, type TextSettings } from './service-process.ts';

/**
 * Runs a command other than `serve` in this process, because a process takes much longer to start than most commands
 * take. `test/cli/command-line.test.ts` runs them as people do.
 */
export async function runCommand(
  args: readonly string[],
  settings: TextSettings & Pick<Settings, 'data_dir'>,
): Promise<Outcome> {
  const env = environment({ ...(await databaseSetting(settings)), ...settings });
  return await outcomeOf((output) => runCommandLine(args, { ...output, env }));
}
