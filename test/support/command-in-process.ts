import assert from 'node:assert/strict';
import type { Output } from '../../src/cli/subcommands.ts';

/** The result of a command of the program. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Runs a command in this process and returns what it wrote. */
export async function outcomeOf(run: (output: Output) => Promise<number>): Promise<Outcome> {
  const written = { out: '', err: '' };
  const code = await run({
    write: (text) => {
      written.out += text;
    },
    writeError: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

/** Fails unless `coursewire <group> …` prints its usage, and does nothing else, with each of the arguments. */
export async function assertExplains(
  group: string,
  run: (args: string[]) => Promise<Outcome>,
  asked: readonly (readonly string[])[],
): Promise<void> {
  for (const args of asked) {
    const { code, out, err } = await run([...args]);
    assert.deepEqual([code, err], [0, ''], args.join(' '));
    assert.ok(out.startsWith(`Usage: coursewire ${group}`), out);
  }
}
