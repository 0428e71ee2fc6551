import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/**
 * Checks a checkout without running it: types, code (format, lint, import cycles), the lockfile and the settings page.
 * The parts run in parallel, and each report is printed when its part has ended. The command fails if any part fails.
 */

const USAGE = 'Usage: npm run check -- [--only NAME]… [FOLDER]\n\nNames: types, code, lockfile, settings\n';
const ROOT = path.join(import.meta.dirname, '..');
const EXIT_USAGE = 2;

interface Part {
  name: string;
  /** The name of an installed package's program, or Node for a script of this project. */
  program: string;
  args: (folder: string) => string[];
}

const script = (name: string) => path.join(import.meta.dirname, name);
/** The compiler's projects, by folder. */
const PROJECTS = ['.', 'web', 'test/ui'];
const PARTS: readonly Part[] = [
  ...PROJECTS.map((project) => ({ name: 'types', program: 'tsc', args: () => typesArguments(project) })),
  { name: 'code', program: 'biome', args: () => ['check', '--error-on-warnings', '.'] },
  {
    name: 'lockfile',
    program: process.execPath,
    args: (folder) => [script('check-lockfile.ts'), path.join(folder, 'package-lock.json')],
  },
  {
    name: 'settings',
    program: process.execPath,
    args: (folder) => [script('generate-settings-docs.ts'), '--check', path.join(folder, 'docs/settings.md')],
  },
];

/**
 * The compiler stores its results and checks only what has changed since. The projects already run in parallel; more
 * checkers in each would check the same types repeatedly.
 */
function typesArguments(project: string): string[] {
  const found = `node_modules/.cache/types-${project.replaceAll(/\W/g, '_')}.tsbuildinfo`;
  return ['--noEmit', '-p', project, '--checkers', '1', '--incremental', '--tsBuildInfoFile', found];
}

async function run({ program, args }: Part, folder: string): Promise<boolean> {
  const ofPackage = program !== process.execPath;
  const child = spawn(program, args(folder), {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${path.join(ROOT, 'node_modules/.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
    },
    // On Windows, a package's program is a shell script.
    shell: ofPackage && process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  process.stdout.write(out);
  process.stderr.write(err);
  return code === 0;
}

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const names = new Set(PARTS.map(({ name }) => name));
const only = new Set(values.only ?? names);
if ([...only].some((name) => !names.has(name)) || positionals.length > 1) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT_USAGE;
} else {
  const folder = path.resolve(positionals[0] ?? ROOT);
  const parts = PARTS.filter(({ name }) => only.has(name));
  const passed = await Promise.all(parts.map((part) => run(part, folder)));
  if (!passed.every(Boolean)) process.exitCode = 1;
}
