// @ts-check
// The service is loaded from one file if `npm run build:service` has built it: hundreds of modules would take twice the time
// and 30 MiB more.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Loads the service: its bundle, or its sources if they are not bundled or have changed since.
 * @param {string} root the folder of the installation
 */
export async function loadService(root) {
  const bundle = path.join(bundleFolder(root), 'main.mjs');
  const isBundled = existsSync(bundle);
  // Errors name the lines of the sources.
  if (isBundled) process.setSourceMapsEnabled(true);
  await import(pathToFileURL(isBundled ? bundle : path.join(root, 'src/main.ts')).href);
}

/** Where the bundle of the current sources is, or would be. @param {string} root */
export function bundleFolder(root) {
  return path.join(bundlesFolder(root), fingerprint(root));
}

/** Where the bundles of all sources are. @param {string} root */
export function bundlesFolder(root) {
  return path.join(root, 'node_modules/.cache/coursewire-service');
}

/** What the bundle is made from besides the sources: the versions of packages. */
export const PACKAGE_FILES = ['package.json', 'package-lock.json'];

/**
 * A hash of the sources and of the versions of packages. Reading all of them takes 20 ms. Their times would take half of that,
 * but are not always new: an installation may be copied, or changed twice within a second.
 * @param {string} root
 */
function fingerprint(root) {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    // Editors keep links to nothing beside open files.
    .filter((file) => !path.basename(file).startsWith('.'))
    .map((file) => path.join('src', file))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...sources, ...PACKAGE_FILES.filter((each) => existsSync(path.join(root, each)))]) {
    const text = readFileSync(path.join(root, file));
    hash.update(`${file} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}
