/**
 * Goes through the main workflows of the admin UI, and plays a course, in Firefox and in WebKit (the engine of Safari),
 * both as packaged by Debian. `npm run test:browsers -- firefox` uses only one of them. Fails if a workflow fails.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { FIREFOX } from '../../../test/ui/browsers/firefox.ts';
import { findProgram } from '../../../test/ui/browsers/programs.ts';
import { WEBKIT_DRIVER } from '../../../test/ui/browsers/webkit.ts';

interface Need {
  programs: readonly string[];
  /** The Debian package that contains the program. */
  package: string;
}

/** The display on which the browsers draw, and its mouse. */
const SHARED: readonly Need[] = [
  { programs: ['Xvfb'], package: 'xvfb' },
  { programs: ['xdotool'], package: 'xdotool' },
];
const BROWSERS: Readonly<Record<string, Need>> = {
  firefox: { programs: FIREFOX, package: 'firefox-esr' },
  webkit: { programs: [WEBKIT_DRIVER], package: 'webkit2gtk-driver' },
};
const FOLDER = path.join(import.meta.dirname, '../../../test/ui/browsers');

process.exitCode = walk(process.argv.slice(2));

function walk(asked: readonly string[]): number {
  const names = asked.length === 0 ? Object.keys(BROWSERS) : asked;
  const unknown = names.filter((name) => !Object.hasOwn(BROWSERS, name));
  if (unknown.length > 0) {
    console.error(
      `Not a browser to walk in: ${unknown.join(', ')}. There are ${Object.keys(BROWSERS).join(' and ')}.`,
    );
    return 1;
  }
  const needs = [...SHARED, ...names.flatMap((name) => BROWSERS[name] ?? [])];
  const missing = needs.filter(({ programs }) => findProgram(...programs) === null);
  if (missing.length > 0) {
    const packages = missing.map((need) => need.package).join(' ');
    console.error(
      `Missing: ${missing.map(({ programs }) => programs.join(' or ')).join(', ')}. On Debian install them with:\n` +
        `  sudo apt-get install --no-install-recommends ${packages}`,
    );
    return 1;
  }
  const { status } = spawnSync(
    process.execPath,
    [
      '--import',
      './bin/compile-cache.js',
      '--test',
      '--test-concurrency=1',
      '--test-reporter=spec',
      ...names.map((name) => path.join(FOLDER, `${name}.walk.ts`)),
    ],
    { stdio: 'inherit', cwd: path.join(import.meta.dirname, '../../..') },
  );
  return status ?? 1;
}
