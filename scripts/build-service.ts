import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundleFolder, bundlesFolder } from '../bin/service-bundle.js';

/**
 * Bundles the service into one file, and a few that are loaded on demand, unless the bundle exists. `bin/coursewire.js`
 * loads it in half the time. It contains the service's own modules and the packages below. All others are loaded from
 * their folders. esbuild belongs to the workspace of the admin UI, so that an installation can remove it with the other
 * packages that only build.
 */

/** Packages of hundreds of small modules that read no files. */
const BUNDLED_PACKAGES = ['kysely', 'typebox'];
/** How long bundles of former sources are kept, since a service that is just starting may still load them. */
const FORMER_BUNDLES_MS = 3_600_000;

/** Modules that are started or read by their path have the paths of the sources. */
function pathsOfSources(root: string): Plugin {
  return {
    name: 'paths-of-sources',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
        if (path.relative(path.join(root, 'src'), file).startsWith('..')) return undefined;
        const fromBundle = path.relative(bundleFolder(root), file).replaceAll(path.sep, '/');
        const url = `new URL(${JSON.stringify(fromBundle)}, import.meta.url)`;
        const folder = `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url})).slice(0, -1)`;
        const contents = readFileSync(file, 'utf8')
          .replaceAll('import.meta.url', url)
          .replaceAll('import.meta.dirname', folder);
        return { contents, loader: 'ts' };
      });
    },
  };
}

const otherPackages: Plugin = {
  name: 'other-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) => {
      const isBundled = BUNDLED_PACKAGES.some((each) => name === each || name.startsWith(`${each}/`));
      return kind === 'entry-point' || isBundled ? undefined : { external: true };
    });
  },
};

function optionsOf(root: string, outdir: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Modules that are imported on demand remain so.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Errors name the lines of the sources.
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [pathsOfSources(root), otherPackages],
    logLevel: 'warning',
  };
}

/** Builds the bundle of the present sources. @param root the folder of the installation */
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
