// @ts-check
// The service is loaded from one file if `npm run build:service` has built it: hundreds of modules would take twice the time
// and 30 MiB more.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MS_PER_SECOND = 1_000;

/**
 * Loads the service: its bundle, or its sources if they are not bundled or have changed since.
 * @param {string} root the folder of the installation
 */
export async function loadService(root) {
  const bundle = path.join(bundleFolder(root), 'main.mjs');
  const isBundled = existsSync(bundle);
  if (isBundled) nameSourcesInErrors(pathToFileURL(path.dirname(bundle)).href);
  await import(pathToFileURL(isBundled ? bundle : path.join(root, 'src/main.ts')).href);
}

/**
 * Has errors name the lines of the sources. The maps are read with the first error that is shown: Node would read them at
 * the start, which takes a tenth of it and 8 MiB.
 * @param {string} folder the URL of the folder of the bundle
 */
function nameSourcesInErrors(folder) {
  /** @type {Map<string, SourceMap>} */
  const maps = new Map();
  /** @param {string} file */
  const mapOf = (file) => {
    const known = maps.get(file);
    if (known !== undefined) return known;
    const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
    maps.set(file, map);
    return map;
  };
  /** @param {NodeJS.CallSite} frame */
  const inSource = (frame) => {
    const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
    if (!file?.startsWith(folder) || line === null || column === null) return String(frame);
    const origin = mapOf(file).findOrigin(line, column);
    if (!('fileName' in origin)) return String(frame);
    const place = `${new URL(origin.fileName, file).href}:${origin.lineNumber}:${origin.columnNumber}`;
    return String(frame).replace(`${file}:${line}:${column}`, place);
  };
  Error.prepareStackTrace = (error, frames) =>
    [error, ...frames.map((frame) => `at ${inSource(frame)}`)].join('\n    ');
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
