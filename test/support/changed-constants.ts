import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../..');
/** The bundle contains neither the names of files nor all constants. */
const FROM_SOURCES = pathToFileURL(path.join(ROOT, 'bench/from-sources.js')).href;

/**
 * The source of a module that a service runs before the program. It changes constants of source files, for what is not a
 * setting, and nothing else of the program, which then runs from its sources.
 * @param changes the values by the names of constants, each of which is defined in one line of the file, by the file's path from the
 *   root of the checkout
 */
export function changedConstants(
  changes: Readonly<Record<string, Readonly<Record<string, number>>>>,
): string {
  const files = Object.fromEntries(
    Object.entries(changes).map(([file, values]) => [
      pathToFileURL(path.join(ROOT, file)).href,
      Object.entries(values),
    ]),
  );
  return `import { registerHooks } from 'node:module';
import ${JSON.stringify(FROM_SOURCES)};
const files = ${JSON.stringify(files)};
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!(url in files)) return loaded;
    let source = String(loaded.source);
    for (const [name, value] of files[url]) {
      const constant = new RegExp('\\\\bconst ' + name + ' = [^;\\\\n]+;');
      if (!constant.test(source)) throw new Error(name + ' is not where it was');
      source = source.replace(constant, 'const ' + name + ' = ' + value + ';');
    }
    return { ...loaded, source };
  },
});`;
}
