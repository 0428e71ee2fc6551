#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import path from 'node:path';

// Every module after this one is loaded from the cache once it is warm: the start takes half the time, and the compiler
// that strips types is never loaded. The folder belongs to the installation; where it cannot be written, nothing is kept.
enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/coursewire'));
const { runCommandLine } = await import('./program/command-line.ts');

process.exitCode = await runCommandLine(process.argv.slice(2));
