import { runCommandLine } from './cli/command-line.ts';

const exitCode = await runCommandLine(process.argv.slice(2));
// If the output could not be written, it is already set.
process.exitCode = exitCode || process.exitCode;
