import { runCommandLine } from './cli/command-line.ts';

/** How long the process may go on after its command has ended. */
const LINGER_MS = 100;

const exitCode = await runCommandLine(process.argv.slice(2));
// If the output could not be written, it is already set.
process.exitCode = exitCode || process.exitCode;
// The AWS SDK runs a program for credentials, and one that hangs would keep the process.
setTimeout(() => process.exit(), LINGER_MS).unref();
