import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlesFolder } from '../../bin/service-bundle.js';

const ROOT = path.join(import.meta.dirname, '../..');

/**
 * The source of a module that a service runs before the program. It changes constants of source files, for what is not a
 * setting, and nothing else of the program. It does so in the bundle if the service runs from one.
 * @param changes the values by the names of constants, all of which must be numbers in the file, by the file's path from the
 *   root of the checkout
 */
export function changedConstants(
  changes: Readonly<Record<string, Readonly<Record<string, number>>>>,
): string {
  const names = Object.values(changes).flatMap((values) => Object.entries(values));
  const facts = {
    bundles: pathToFileURL(bundlesFolder(ROOT)).href,
    files: Object.entries(changes).map(([file, values]) => ({
      url: pathToFileURL(path.join(ROOT, file)).href,
      // Before each file in the bundle, for the last time before its constants.
      heading: `// ${file}\n`,
      values: Object.entries(values),
    })),
    // The cache of compiled modules keeps the changed bundle beside the other.
    query: `?${names.map(([name, value]) => `${name}=${value}`).join('&')}`,
  };
  return `import { registerHooks } from 'node:module';
const { bundles, files, query } = ${JSON.stringify(facts)};
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const isBundle = resolved.url.startsWith(bundles) && resolved.url.endsWith('/main.mjs');
    return isBundle ? { ...resolved, url: resolved.url + query } : resolved;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const isBundle = url.startsWith(bundles) && url.endsWith(query);
    const changed = files.filter((file) => isBundle || file.url === url);
    if (changed.length === 0) return loaded;
    let source = String(loaded.source);
    for (const { heading, values } of changed) {
      const start = isBundle ? source.lastIndexOf(heading) : 0;
      for (const [name, value] of values) {
        const end = isBundle ? source.indexOf('\\n// src/', start) : source.length;
        const constant = new RegExp('\\\\b(' + name + '\\\\d*) = [\\\\d_e]+;', 'g');
        constant.lastIndex = start;
        const found = start < 0 ? null : constant.exec(source);
        if (found === null || found.index > end) throw new Error(name + ' is not where it was');
        source = source.slice(0, found.index) + found[1] + ' = ' + value + ';' + source.slice(constant.lastIndex);
      }
    }
    return { ...loaded, source };
  },
});`;
}
