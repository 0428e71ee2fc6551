import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundleFolder, bundlesFolder } from '../bin/service-bundle.js';

/**
 * Bundles the service and its packages into one file, and a few that are loaded on demand, unless the bundle exists.
 * `bin/coursewire.js` loads it in less than half the time. esbuild belongs to the workspace of the admin UI, so that an
 * installation can remove it with the other packages that only build.
 */

/** Native modules. `pg-native` is optional and not installed. */
const EXTERNAL_PACKAGES = ['@node-rs/argon2', 'pg-native'];
/** How long bundles of former sources are kept, since a service that is just starting may still load them. */
const FORMER_BUNDLES_MS = 3_600_000;
/**
 * The first lines of every file of the bundle: CommonJS packages load built-in modules, and read files of their
 * folders.
 */
const BANNER = `
import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
const pathFromBundle = (name) => require('node:path').join(import.meta.dirname, name);
`;

/** Modules that are started or read by their path have the paths of the sources, and packages those of their folders. */
function pathsOfSources(root: string): Plugin {
  // Naming the folder reads all sources, and there are thousands of modules.
  const bundle = bundleFolder(root);
  const fromBundle = (file: string) => JSON.stringify(path.relative(bundle, file).replaceAll(path.sep, '/'));
  return {
    name: 'paths-of-sources',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
        if (path.relative(path.join(root, 'src'), file).startsWith('..')) return undefined;
        const url = `new URL(${fromBundle(file)}, import.meta.url)`;
        const contents = readFileSync(file, 'utf8')
          .replaceAll('import.meta.url', url)
          .replaceAll('import.meta.dirname', `pathFromBundle(${fromBundle(path.dirname(file))})`);
        return { contents, loader: 'ts' };
      });
      onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path: file }) => {
        const contents = readFileSync(file, 'utf8')
          .replaceAll(/\b__dirname\b/g, `pathFromBundle(${fromBundle(path.dirname(file))})`)
          .replaceAll(/\b__filename\b/g, `pathFromBundle(${fromBundle(file)})`);
        return { contents: contents + beginsAt(file), loader: 'js' };
      });
    },
  };
}

/**
 * A source map of a module of a package that has only its beginning. Errors name the file, but not the line: reading the maps
 * of all packages would take as long as loading a third of them.
 */
function beginsAt(file: string): string {
  const map = JSON.stringify({ version: 3, sources: [path.basename(file)], mappings: 'AAAA' });
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

function optionsOf(root: string, outdir: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    external: EXTERNAL_PACKAGES,
    // Modules that are imported on demand remain so.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: BANNER },
    // Errors name the lines of the sources. Node looks at each character of the bundle for that.
    sourcemap: 'linked',
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [pathsOfSources(root)],
    logLevel: 'warning',
    // The configuration of TypeScript extends packages that an installation without development packages lacks.
    tsconfigRaw: {},
  };
}

/** Builds the bundle of the current sources. @param root the folder of the installation */
export async function buildService(root: string): Promise<void> {
  const folder = bundleFolder(root);
  if (existsSync(folder)) return;
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(bundlesFolder(root), { recursive: true });
  try {
    await build(optionsOf(root, fresh));
    renameSync(fresh, folder);
  } catch (error) {
    // Another process built it at the same time.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  for (const name of readdirSync(bundlesFolder(root))) {
    const former = path.join(bundlesFolder(root), name);
    if (former !== folder && statSync(former).mtimeMs < Date.now() - FORMER_BUNDLES_MS)
      rmSync(former, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildService(path.join(import.meta.dirname, '..'));
