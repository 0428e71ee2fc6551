import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allTestFiles, ROOT } from './run-tests.ts';

const KNOWS_POSTGRES = path.join(ROOT, 'test/support/postgres.ts');
const IMPORTED = /^\s*(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;
/** In a comment of its own, followed by the reason. */
const NEEDS_ONE_DATABASE = /^\/\/ Runs on SQLite alone: /m;

/**
 * The test files that run on PostgreSQL too: those that reach the module which knows about its server, except those that
 * say that they need no second database.
 */
export function testsOnPostgres(): string[] {
  const reaches = new Map<string, boolean>();
  const doesReach = (file: string): boolean => {
    if (file === KNOWS_POSTGRES) return true;
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false);
    // The text of a test may hold what looks like an import.
    if (!existsSync(file)) return false;
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name]) =>
      path.join(path.dirname(file), name!),
    );
    const result = imported.some((each) => each.endsWith('.ts') && doesReach(each));
    reaches.set(file, result);
    return result;
  };
  return (
    allTestFiles()
      // What the browser shows does not depend on the engine behind the same answers.
      .filter((file) => !file.startsWith('test/ui/') && doesReach(path.join(ROOT, file)))
      .filter((file) => !NEEDS_ONE_DATABASE.test(readFileSync(path.join(ROOT, file), 'utf8')))
  );
}
