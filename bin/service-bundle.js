// @ts-check
// The service is loaded from one file if `npm run build:service` has built it: hundreds of modules would take twice the time
// and 30 MiB more.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const MS_PER_SECOND = 1_000;

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

/** Where the bundle of the present sources is, or would be. @param {string} root */
export function bundleFolder(root) {
  return path.join(bundlesFolder(root), fingerprint(root));
}

/** Where the bundles of all sources are. @param {string} root */
export function bundlesFolder(root) {
  return path.join(root, 'node_modules/.cache/coursewire-service');
}

/**
 * Changes with every source and with the versions of packages. It consists of sizes and times, since reading the files would take
 * four times as long. Times are whole seconds, because images of containers keep no fractions.
 * @param {string} root
 */
function fingerprint(root) {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join('src', file))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...sources, 'package.json']) {
    const { size, mtimeMs } = statSync(path.join(root, file));
    hash.update(`${file} ${size} ${Math.floor(mtimeMs / MS_PER_SECOND)}\n`);
  }
  return hash.digest('hex');
}
