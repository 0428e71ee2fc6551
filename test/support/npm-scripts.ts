import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from './temporary-folder.ts';

/** The repository. */
export const ROOT = path.join(import.meta.dirname, '../..');

/** The scripts of `package.json`. */
export const { scripts: NPM_SCRIPTS } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** How an npm script or another program ended. */
export interface ScriptResult {
  code: number | null;
  /** Both outputs. */
  output: string;
}

/** A temporary folder that the user of the database server can access, too. */
export function commandFolder() {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  return folder;
}

/**
 * Runs the command of an npm script, with `folder` for its temporary files. It does not run npm itself, which takes as
 * long to start as many of the commands.
 */
export function runScript(folder: string, name: string, ...args: string[]): Promise<ScriptResult> {
  const [program, ...own] = NPM_SCRIPTS[name]!.split(' ');
  assert.equal(program, 'node');
  return run(process.execPath, [...own, ...args], { TMPDIR: folder });
}

/** Runs a program in the repository. */
export async function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ScriptResult> {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: out + err };
}

/** Requires that a command failed and that its output matches `said`. */
export function assertFails({ code, output }: ScriptResult, said: RegExp, what: string): void {
  assert.ok(code !== 0 && code !== null, `${what}: exit code ${code}\n${output}`);
  assert.match(output, said, what);
}

/** Requires that a command succeeded. Reports repeat only the first line of an error, so it includes the failures that the command names. */
export function assertPasses({ code, output }: ScriptResult, what: string): void {
  const failures = output.match(/(?<=^Failed: ).+/gm) ?? [];
  assert.equal(code, 0, `${[what, ...failures].join('; ')}\n${output}`);
}

/** Requires that a command has left no server and no data behind. */
export function assertNothingLeft(folder: string): void {
  const left = readdirSync(folder).filter((name) => name.startsWith('coursewire-'));
  assert.deepEqual(left, []);
}

/** Writes files by their paths below `folder`. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
