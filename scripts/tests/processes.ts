import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Most test files take less time than starting a process and loading the service, and a browser takes longer still. So
 * files of a folder, or of several folders with few tests, share a process, and its browser or databases. A file gets a
 * process of its own if it has the comment below. So does a file with a `beforeEach` or `afterEach` outside of every
 * `describe`, since these would run around the tests of the other files, too. Its outer `before` and `after` run once,
 * before and after the tests of all of them.
 */

/** Folders whose files share processes, and how many files share one at most. Other files have a process each. */
const SHARING: readonly { folders: readonly string[]; most: number }[] = [
  { folders: ['src'], most: 100 },
  { folders: ['test/alerts', 'test/audit', 'test/cli', 'test/housekeeping', 'test/ui-api'], most: 40 },
  { folders: ['test/content'], most: 40 },
  { folders: ['test/course-packages', 'test/http', 'test/observability'], most: 40 },
  { folders: ['test/database'], most: 40 },
  { folders: ['test/delivery'], most: 40 },
  { folders: ['test/identity'], most: 40 },
  { folders: ['test/player'], most: 40 },
  // These mostly wait, so they run in parallel.
  { folders: ['test/queue'], most: 7 },
  { folders: ['test/ui'], most: 14 },
  { folders: ['test/webhooks'], most: 40 },
];
/** Those that take longest begin first, so that no process is left to work alone at the end. */
const LONGEST = [
  'test/prove.test.ts',
  'test/reliability/',
  'test/attacks/',
  'test/commands.test.ts',
  'test/ui/',
  'test/queue/',
  'test/webhooks/',
  'test/delivery/',
  'test/content/',
];
const HOOK_OF_EACH_TEST = /^(?:before|after)Each\(/m;
/** In a comment of its own, followed by the reason. */
const NEEDS_OWN_PROCESS = /^\/\/ Needs a process of its own: /m;

/** Programs for `node --test`, each of one file or of several. Disposing of it deletes what was written for it. */
export interface TestPrograms extends Disposable {
  readonly files: readonly string[];
}

/**
 * Distributes test files to processes. @param files paths from `root`. Files that do not exist are passed on unchanged.
 */
export function testPrograms(files: readonly string[], root: string): TestPrograms {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-tests-'));
  const groups = groupsOf(files, root);
  return {
    files: groups.map((group, number) => {
      if (group.length === 1) return group[0]!;
      const program = path.join(folder, `${group[0]!.split('/').slice(0, 2).join('-')}-${number}.mjs`);
      writeFileSync(program, group.map((file) => importOf(path.resolve(root, file))).join(''));
      return program;
    }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function groupsOf(files: readonly string[], root: string): string[][] {
  const groups: string[][] = [];
  const filling = new Map<object, string[]>();
  for (const file of files) {
    const sharing = sharesProcess(path.resolve(root, file)) ? sharingOf(file) : undefined;
    const begun = sharing === undefined ? undefined : filling.get(sharing);
    if (sharing !== undefined && begun !== undefined && begun.length < sharing.most) {
      begun.push(file);
      continue;
    }
    const group = [file];
    groups.push(group);
    if (sharing !== undefined) filling.set(sharing, group);
  }
  const rank = ([file]: string[]) => {
    const found = LONGEST.findIndex((start) => file!.startsWith(start));
    return found < 0 ? LONGEST.length : found;
  };
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

function sharingOf(file: string) {
  return SHARING.find(({ folders }) => folders.some((folder) => file.startsWith(`${folder}/`)));
}

function sharesProcess(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // `node --test` explains best what is wrong with it.
    return false;
  }
  return !HOOK_OF_EACH_TEST.test(text) && !NEEDS_OWN_PROCESS.test(text);
}

function importOf(file: string): string {
  return `import ${JSON.stringify(pathToFileURL(file).href)};\n`;
}
