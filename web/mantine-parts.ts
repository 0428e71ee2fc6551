import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const LIBRARY = path.join(import.meta.dirname, '../node_modules/@mantine/core');
const PACKAGES = ['core', 'charts', 'notifications'];
/** Those that import the library, too. */
const OTHERS = PACKAGES.slice(1).map((name) => path.join(LIBRARY, `../${name}/esm`));
const SOURCES = path.join(import.meta.dirname, 'src');

const NAMED_IMPORT = /import\s*\{([^}]*)\}\s*from\s*['"]@mantine\/core['"];?/g;
const PACKAGE_IMPORT = /import\s*\{([^}]*)\}\s*from\s*['"]@mantine\/(core|charts|notifications)['"]/g;
const INDEX_IMPORT = /import \{([^}]*)\} from "([^"]+)";/g;
const RELATIVE_IMPORT = /from "(\.[^"]+)";/g;
const STYLE_MODULE = /\/@mantine\/core\/.*\/([A-Za-z]+)\.module\.mjs$/;

/**
 * Turns `import { Button } from '@mantine/core'` into an import of the file of that component. The index of the library
 * imports every component, so the files could not be divided among the pages that need them.
 */
export function mantineOneByOne(): Plugin {
  const fileOf = filesByName('core');
  return {
    name: 'mantine-one-by-one',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (![SOURCES, ...OTHERS].some((folder) => id.startsWith(folder))) return null;
      if (!code.includes('@mantine/core')) return null;
      return code.replace(NAMED_IMPORT, (_whole, names: string) =>
        namesIn(names)
          .map((name) => `import { ${name} } from '${fileOf.get(name) ?? '@mantine/core'}';`)
          .join(' '),
      );
    },
  };
}

const VIRTUAL = 'virtual:mantine-styles';
const RESOLVED = `\0${VIRTUAL}`;
/** Needed whatever the components are. */
const ALWAYS = ['baseline', 'default-css-variables', 'global'];

/**
 * `import 'virtual:mantine-styles'` is the styles of the components that the UI uses, in the order of the library. The
 * styles of all components would be most of the CSS. The build fails if those of a component are missing.
 */
export function mantineStyles(): Plugin {
  let styles = new Set<string>();
  return {
    name: 'mantine-styles',
    resolveId: (id) => (id === VIRTUAL ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      styles = usedStyles();
      return inOrder(styles)
        .map((name) => `import '@mantine/core/styles/${name}.layer.css';`)
        .join('\n');
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of Object.keys(chunk.modules)) {
          const name = STYLE_MODULE.exec(id)?.[1];
          if (name !== undefined && !styles.has(name)) this.error(`the styles of ${name} are missing`);
        }
      }
    },
  };
}

/** The file of each name that a package of the library exports. */
function filesByName(name: string): Map<string, string> {
  const folder = path.join(LIBRARY, '..', name, 'esm');
  const index = readFileSync(path.join(folder, 'index.mjs'), 'utf8');
  const files = new Map<string, string>();
  for (const [, names = '', file = ''] of index.matchAll(INDEX_IMPORT))
    for (const name of namesIn(names)) files.set(name, file.startsWith('.') ? path.join(folder, file) : file);
  return files;
}

/** Of `Button, type ButtonProps`, the names of values. */
function namesIn(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

/** The styles of the components that the UI imports, and of those that they consist of. */
function usedStyles(): Set<string> {
  const files = globSync(path.join(SOURCES, '**/*.{ts,tsx}'));
  const fileOf = new Map(PACKAGES.map((name) => [name, filesByName(name)]));
  const seen = new Set<string>();
  const styles = new Set<string>();
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const name = STYLE_MODULE.exec(file)?.[1];
    if (name !== undefined) styles.add(name);
    const code = readFileSync(file, 'utf8');
    for (const [, names = '', from = ''] of code.matchAll(PACKAGE_IMPORT))
      for (const each of namesIn(names)) files.push(fileOf.get(from)?.get(each) ?? '');
    // All files of the UI are there already.
    if (file.startsWith(SOURCES)) continue;
    for (const [, imported = ''] of code.matchAll(RELATIVE_IMPORT))
      files.push(path.join(path.dirname(file), imported));
  }
  return styles;
}

/** Rules of equal weight win by their order, which is that of the library's whole stylesheet. */
function inOrder(styles: ReadonlySet<string>): string[] {
  const all = readFileSync(path.join(LIBRARY, 'styles.layer.css'), 'utf8');
  const positionOf = (name: string) => {
    const own = readFileSync(path.join(LIBRARY, 'styles', `${name}.layer.css`), 'utf8');
    const position = all.indexOf(/\.m_[0-9a-f]+/.exec(own)?.[0] ?? '\0');
    return position === -1 ? all.length : position;
  };
  const positions = new Map([...styles].map((name) => [name, positionOf(name)]));
  return [...ALWAYS, ...[...styles].sort((a, b) => positions.get(a)! - positions.get(b)!)];
}
