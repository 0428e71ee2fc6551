#!/usr/bin/env node
// @ts-check
// Starts src/main.ts, in JavaScript: a module that is loaded before the cache is on would bring in the compiler that
// strips types, which takes 20 MiB and a tenth of a second. Nothing is imported before the version is known to be new
// enough: an older Node would fail on the import, and not say why.
import path from 'node:path';

const MIN_NODE_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < MIN_NODE_MAJOR) {
  process.stderr.write(
    `coursewire needs Node ${MIN_NODE_MAJOR} or later, this is ${process.version}. "npm ci" installs one; start with "npm start".\n`,
  );
  process.exitCode = 1;
} else {
  // The kernel ignores signals without a handler if they are for the first process of a container. Until the service has its
  // own, there is nothing to finish.
  if (process.pid === 1 && process.argv.includes('serve')) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
      process.on(signal, () => {
        if (process.listenerCount(signal) === 1) process.exit(0);
      });
    }
  }
  await import('./compile-cache.js');
  // V8 sizes its heap by the machine's memory and would let garbage of deliveries pile up to 350 MiB; collected a little
  // earlier the service stays near 200 MiB at the same speed. The new generation's size can only be given on the command
  // line: `npm start` does, to a quarter of the time in the collector that the smallest one would take.
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--heap-growing-percent=30');
  const { loadService } = await import('./service-bundle.js');
  await loadService(path.join(import.meta.dirname, '..'));
}
