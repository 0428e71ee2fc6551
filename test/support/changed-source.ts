import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../..');
const FROM_SOURCES = new URL('from-sources.js', import.meta.url).href;

/**
 * The source of a module that a service runs before the program. It replaces texts of one source file, and nothing else of the
 * program, for what is not a setting.
 * @param file its path from the root of the checkout
 * @param texts what replaces each text, which must be in the file
 */
export function changedSource(file: string, texts: Readonly<Record<string, string>>): string {
  const url = pathToFileURL(path.join(ROOT, file)).href;
  return `import ${JSON.stringify(FROM_SOURCES)};
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== ${JSON.stringify(url)}) return loaded;
    let source = String(loaded.source);
    for (const [text, other] of ${JSON.stringify(Object.entries(texts))}) {
      if (!source.includes(text)) throw new Error('"' + text + '" is not where it was');
      source = source.replace(text, other);
    }
    return { ...loaded, source };
  },
});`;
}
