import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allTestFiles, ROOT } from './run.ts';

const KNOWS_POSTGRES = path.join(ROOT, 'test/support/postgres.ts');
const IMPORTED = /^\s*(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;
/** The comment of a file that no run on PostgreSQL needs. The reason follows it. */
const ONE_DATABASE = /^\/\/ Runs on SQLite alone: /m;
/** The comment of a file whose statements other files run on PostgreSQL, too. The reason follows it. */
const REPEATS_OTHERS = /^\/\/ Runs on SQLite in `npm test`: /m;

/**
 * The test files that can run on PostgreSQL: those that import the module of its server, directly or indirectly, except
 * those marked as running on SQLite alone.
 */
export function testsOnPostgres(): string[] {
  const reaches = new Map<string, boolean>();
  const doesReach = (file: string): boolean => {
    if (file === KNOWS_POSTGRES) return true;
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false);
    // The text of a test may contain something that looks like an import.
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
      // With the same responses, the browser shows the same for either engine.
      .filter((file) => !file.startsWith('test/ui/') && doesReach(path.join(ROOT, file)))
      .filter((file) => !runsOnSqliteAlone(file))
  );
}

/** The test files that `npm test` runs on PostgreSQL: all that can run there, except those that would only repeat others. */
export function testsNeededOnPostgres(): string[] {
  return testsOnPostgres().filter((file) => !hasComment(file, REPEATS_OTHERS));
}

/** Whether a test file is marked as running on SQLite alone. On PostgreSQL, it could wait forever. */
export function runsOnSqliteAlone(file: string): boolean {
  // Node reports files that do not exist, and expands patterns.
  return existsSync(path.resolve(ROOT, file)) && hasComment(file, ONE_DATABASE);
}

function hasComment(file: string, comment: RegExp): boolean {
  return comment.test(readFileSync(path.resolve(ROOT, file), 'utf8'));
}
