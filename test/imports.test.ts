import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

// Runs on SQLite alone: it reads files.

/** Imports between folders go in one direction. `npm run check` already fails on cycles between files. */

const ROOT = path.join(import.meta.dirname, '..');

/** Relative imports and exports of a file, types included. */
const IMPORT = /^(?:import|export|\})[^'\n]*'(\.[^'\n]+)'|\bimport\('(\.[^'\n]+)'\)/gm;

interface Import {
  from: string;
  to: string;
}

/** The imports of all files in `folder` that are not tests, as paths with forward slashes below that folder. */
function importsIn(folder: string): Import[] {
  const root = path.join(ROOT, folder);
  const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.test.'));
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return [...text.matchAll(IMPORT)].map(([, statement, call]) => ({
      from: file.replaceAll(path.sep, '/'),
      to: path.posix.join(path.posix.dirname(file.replaceAll(path.sep, '/')), statement ?? call ?? ''),
    }));
  });
}

/** The folder directly below the root that a file is in; for a file in the root itself, the file. */
function placeOf(file: string): string {
  return file.split('/', 1)[0]!;
}

/** The imports that are part of a cycle of places, as sentences. */
function againstTheDirection(imports: readonly Import[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports)
    next.set(placeOf(from), (next.get(placeOf(from)) ?? new Set()).add(placeOf(to)));
  const reachable = (start: string): Set<string> => {
    const found = new Set<string>();
    const waiting = [start];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop())
      for (const each of next.get(place) ?? [])
        if (!found.has(each)) {
          found.add(each);
          waiting.push(each);
        }
    return found;
  };
  const reach = new Map([...next.keys()].map((place) => [place, reachable(place)]));
  return imports
    .filter(({ from, to }) => placeOf(from) !== placeOf(to) && reach.get(placeOf(to))?.has(placeOf(from)))
    .map(({ from, to }) => `${from} imports ${to}`);
}

describe('imports between folders', () => {
  it('that form a cycle are detected, even through a type and a third folder', () => {
    const inACycle = [
      { from: 'settings/table.ts', to: 'log/level.ts' },
      { from: 'log/log.ts', to: 'database/database.ts' },
      { from: 'database/database.ts', to: 'settings/table.ts' },
    ];
    const imports = [
      ...inACycle,
      { from: 'main.ts', to: 'log/log.ts' },
      { from: 'log/log.ts', to: 'log/level.ts' },
    ];
    assert.deepEqual(
      againstTheDirection(imports),
      inACycle.map(({ from, to }) => `${from} imports ${to}`),
    );
  });

  for (const [folder, least] of [
    ['src', 2_000],
    ['src/alerts', 50],
    ['src/content', 200],
    ['src/course-packages', 130],
    ['src/identity', 80],
    ['src/player', 200],
    ['src/player/lrs', 100],
    ['src/queue', 40],
    ['src/webhooks', 150],
    ['web/src', 1_000],
    ['web/src/pages/content', 150],
    ['web/src/pages/webhooks', 150],
  ] as const) {
    it(`go in one direction in ${folder}`, () => {
      const imports = importsIn(folder);
      assert.ok(imports.length > least, `${imports.length} imports`);
      assert.deepEqual(againstTheDirection(imports), []);
    });
  }

  it('never lead to a store of another slice', () => {
    const STORE = /-store\.ts$/;
    // Stores files, not rows.
    const FILES = 'content/files/content-store.ts';
    const imports = importsIn('src').filter(({ to }) => STORE.test(to) && to !== FILES);
    assert.ok(imports.length > 100, `${imports.length} imports`);
    const foreign = imports.filter(({ from, to }) => placeOf(from) !== placeOf(to));
    assert.deepEqual(
      foreign.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });
});
