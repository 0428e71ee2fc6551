import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allTestFiles, ROOT } from './run.ts';

const KNOWS_POSTGRES = path.join(ROOT, 'test/support/postgres.ts');
const IMPORTED = /^\s*(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;
/** The comment that excludes a file. The reason follows it. */
const NEEDS_ONE_DATABASE = /^\/\/ Runs on SQLite alone: /m;

/**
 * The test files that also run on PostgreSQL: those that import the module of its server, directly or indirectly. Files
 * marked as needing no second database are excluded.
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
      .filter((file) => !NEEDS_ONE_DATABASE.test(readFileSync(path.join(ROOT, file), 'utf8')))
  );
}
