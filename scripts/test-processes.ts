import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Most test files take less time than starting a process and loading the service do, and a browser takes longer still. So
 * files of one folder share a process, and its browser or databases, a few at a time. A file gets a process of its own if
 * it has the comment below. So does a file with a `beforeEach` or `afterEach` outside of every `describe`, since these
 * would run around the tests of the other files, too. Its outer `before` and `after` run once, before and after the tests of all of them.
 */

/** How many files share a process at most, by the folder they are in. Other files have a process each. */
const FILES_PER_PROCESS = new Map([
  ['src', 30],
  ['test/alerts', 5],
  ['test/audit', 5],
  ['test/cli', 6],
  ['test/content', 14],
  ['test/course-packages', 6],
  ['test/database', 10],
  ['test/delivery', 10],
  ['test/http', 9],
  ['test/identity', 11],
  ['test/observability', 6],
  ['test/player', 19],
  ['test/queue', 7],
  ['test/ui', 15],
  ['test/ui-api', 9],
  ['test/webhooks', 14],
]);
/** Those that take longest begin first, so that no process is left to work alone at the end. */
const LONGEST = [
  'test/prove.test.ts',
  'test/reliability/',
  'test/attacks/',
  'test/commands.test.ts',
  'test/ui/',
  'test/queue/',
];
const HOOK_OF_EACH_TEST = /^(?:before|after)Each\(/m;
/** In a comment of its own, followed by the reason. */
const NEEDS_OWN_PROCESS = /^\/\/ Needs a process of its own: /m;

/** Programs for `node --test`, each of one file or of several. Disposing of it deletes what was written for it. */
export interface TestPrograms extends Disposable {
  readonly files: readonly string[];
}

/** Distributes test files to processes. @param files paths from `root`; what is not there is handed on as it is. */
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
  const filling = new Map<string, string[]>();
  for (const file of files) {
    const folder = sharesProcess(path.resolve(root, file)) ? sharingFolderOf(file) : undefined;
    const begun = folder === undefined ? undefined : filling.get(folder);
    if (folder !== undefined && begun !== undefined && begun.length < FILES_PER_PROCESS.get(folder)!) {
      begun.push(file);
      continue;
    }
    const group = [file];
    groups.push(group);
    if (folder !== undefined) filling.set(folder, group);
  }
  const rank = ([file]: string[]) => {
    const found = LONGEST.findIndex((start) => file!.startsWith(start));
    return found < 0 ? LONGEST.length : found;
  };
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

function sharingFolderOf(file: string): string | undefined {
  return [...FILES_PER_PROCESS.keys()].find((folder) => file.startsWith(`${folder}/`));
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
