// @ts-check
// A program that loads this first runs from its sources. Hooks that change a source would not see it in the bundle.
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlesFolder } from '../bin/service-bundle.js';

const ROOT = path.join(import.meta.dirname, '..');
const BUNDLES = pathToFileURL(bundlesFolder(ROOT)).href;
const SOURCES = pathToFileURL(path.join(ROOT, 'src/main.ts')).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier.startsWith(BUNDLES) ? SOURCES : specifier, context),
});
