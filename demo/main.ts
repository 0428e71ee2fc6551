#!/usr/bin/env node
import { runDemo } from './demo.ts';
import { DemoFailure, Interrupted } from './failure.ts';
import { type DemoOptions, HELP, readOptions, UsageError } from './options.ts';
import { Screen } from './screen.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** The exit code that shells report for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;
/** npm forwards a signal that the terminal has already sent to the whole group, so two within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`demo: ${error.message}\nSee: npm run demo -- --help\n`);
    return EXIT_USAGE;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }

  const signal = stopSignal();
  const paced = process.stdout.isTTY && !options.exit;
  try {
    await runDemo({ screen: screenOn(process.stdout), options, signal, paced });
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_INTERRUPTED;
    if (!(error instanceof DemoFailure)) throw error;
    screenOn(process.stderr).failure(error.message, error.details);
    return EXIT_FAILED;
  }
}

/** Aborted by the first signal, or if the output is closed. A later signal ends the process immediately. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let stoppedAt = Number.POSITIVE_INFINITY;
  const onSignal = () => {
    if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
    if (stop.signal.aborted) return;
    stoppedAt = performance.now();
    stop.abort(new Interrupted());
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  process.stdout.on('error', () => stop.abort(new Interrupted()));
  return stop.signal;
}

function screenOn(output: NodeJS.WriteStream): Screen {
  const colour = output.isTTY && !process.env.NO_COLOR;
  const width = output.isTTY ? output.columns : Number.POSITIVE_INFINITY;
  return new Screen((text) => void output.write(text), { colour, width });
}

process.exitCode = await main(process.argv.slice(2));
